/** A model that edits one file, each time from what its last request shows; and the judge of what it is shown. */
import { believe, toldBy } from './belief.ts'
import { argsOf, drawEdit, type FuzzEdit } from './edits.ts'
import type { FuzzFormatter } from './formatters.ts'
import type { Random } from './random.ts'

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** A call of the model as a request shows it, with its result. */
export type ShownCall = PlayedCall & { output: string }

export type Verdict =
  | 'true as sent'
  | 'corrected'
  | 'noted'
  | 'silent'
  | 'wrong'
  /** The call did not apply. */
  | 'fails'

export type Judged = {
  verdict: Verdict
  sent: Record<string, unknown>
  shown: ShownCall
  why: string
  believed: string
  text: string
}

export type PlayerPlace = {
  random: Random
  formatter: FuzzFormatter
  tool: 'edit' | 'apply_patch'
  /** Absolute, and as a note names it. */
  path: string
  name: string
  extension: string
  read(): string
  onJudged(judged: Judged): void
}

const DRAWS = 40

const withoutBlank = (text: string): string => text.replace(/^[ \t]*\n/gm, '')

const plain = (text: string): string => text.replaceAll('\r\n', '\n')

/** The words of a call's text, those left out that a formatter may put in or take out. */
const wordsOf = (args: Record<string, unknown>): string => {
  const text = String(args['content'] ?? args['newString'] ?? args['patchText'])
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu))
  for (const word of ['var', 'let', 'const', 'else', 'export']) words.delete(word)
  return [...words].sort().join(' ')
}

const isFailure = (output: string): boolean => !/^(Edit applied|Wrote file|Success)/.test(output)

/** Plays a file: draws the next call from what is shown, after judging the last one. */
export class Player {
  readonly #place: PlayerPlace
  #believed: string
  /** Whether what is believed was what the file said when the last call was made. */
  #isTrue = true
  #sent: { edit: FuzzEdit; args: Record<string, unknown>; before: string } | null = null
  #near: string | null = null

  constructor(place: PlayerPlace) {
    this.#place = place
    this.#believed = plain(place.read())
  }

  /** Judges the last call, if there was one. */
  judge(shown: ShownCall | undefined): void {
    const sent = this.#sent
    if (!sent || !shown) return
    this.#sent = null
    const text = plain(this.#place.read())
    const say = (verdict: Verdict, why = '') =>
      this.#place.onJudged({
        verdict,
        sent: sent.args,
        shown,
        why,
        believed: believe(sent.before, shown.args) ?? sent.before,
        text,
      })
    if (isFailure(shown.output)) {
      say('fails')
      this.#take(text, true, null)
      return
    }
    const expected = believe(sent.before, shown.args)
    const isCorrected = JSON.stringify(sent.args) !== JSON.stringify(shown.args)
    const now = shown.args['newString'] ?? shown.args['content']
    this.#near = typeof now === 'string' && now.length < 2_000 && now.trim() !== '' ? plain(now).trim() : null
    if (!this.#isTrue) {
      this.#take(text, true, this.#near)
      return
    }
    const why = isCorrected ? this.#wrongness(sent.args, shown.args, text) : ''
    // Blank lines that went are not told.
    const isSame = expected !== null && withoutBlank(plain(expected)) === withoutBlank(text)
    const isNoted = !isSame && toldBy(shown.output, this.#place.name, plain(expected ?? ''), text) !== null
    if (why !== '') say('wrong', why)
    else if (isSame) say(isCorrected ? 'corrected' : 'true as sent')
    else if (isNoted) say('noted')
    else say('silent', isCorrected ? 'corrected, and not all is told' : 'neither corrected nor told')
    if (isNoted) this.#take(text, true, this.#near)
    else if (isSame) this.#take(plain(expected ?? text), true, this.#near)
    else this.#take(plain(expected ?? text), false, this.#near)
  }

  #take(believed: string, isTrue: boolean, near: string | null): void {
    this.#believed = believed
    this.#isTrue = isTrue
    this.#near = near
  }

  /** What is wrong with corrected arguments; empty where nothing is. */
  #wrongness(sent: Record<string, unknown>, shown: Record<string, unknown>, text: string): string {
    if (shown['oldString'] !== sent['oldString']) return 'another oldString'
    const content = shown['content'] ?? shown['newString']
    if (typeof content === 'string' && !text.includes(plain(content))) return 'not in the file'
    return wordsOf(sent) === wordsOf(shown) ? '' : 'other words'
  }

  /** The next call; null where the file gives none. */
  async next(): Promise<PlayedCall | null> {
    const { random, formatter, tool, path, name, extension } = this.#place
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const near = random.below(10) < 6 ? this.#near : null
      const edit = drawEdit(random, this.#believed, extension, tool, near)
      if (!edit) continue
      const args = argsOf(edit, path, name)
      const made = believe(this.#believed, args)
      if (made === null || made.trim() === '' || made === this.#believed) continue
      if (await formatter.format(made, path) === null) continue
      this.#sent = { edit, args, before: this.#believed }
      return { tool: edit.tool, args }
    }
    return null
  }
}
