/** A model that edits one file, each message from what its requests show; and the judge of what it is shown. */
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { afterNote, believe, toldBy } from './belief.ts'
import { argsOf, drawEdit } from './edits.ts'
import type { FuzzFormatter } from './formatters.ts'
import type { Random } from './random.ts'

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** What a message of calls leaves the model to believe. */
export const VERDICTS = [
  'true as sent',
  'corrected',
  'told by a diff',
  'told by line numbers',
  'told to read again',
  // Removed blank lines are not reported.
  'blank lines went',
  'silent',
  'wrong',
  // A call of the message did not apply.
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

export const UNTRUE: ReadonlyArray<Verdict> = ['silent', 'wrong', 'fails']

export type Judged = {
  verdict: Verdict
  why: string
  sent: Array<PlayedCall>
  shown: Array<ShownCall>
  believed: string | null
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
  /** The most calls of one message. */
  calls: number
  read(): string
  onJudged(judged: Judged): void
}

const DRAWS = 40

const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

const plainArgs = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? crlfToLf(value) : value]),
  )

/** Words that a formatter may insert or remove. */
const FREE = new Set(['var', 'let', 'const', 'else', 'export'])

/** The words of a call's own text. */
const wordsOf = (args: Record<string, unknown>): Array<string> => {
  const text = String(args['content'] ?? args['newString'] ?? args['patchText'])
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu))].filter((word) => !FREE.has(word))
}

/** What is wrong with corrected arguments; empty where nothing is. A removed word must be reported. */
const wrongness = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [before, now] = [wordsOf(sent.args), wordsOf(args)]
  const came = now.filter((word) => !before.includes(word))
  const told = output.toLowerCase()
  const went = before.filter((word) => !now.includes(word) && !told.includes(word))
  return came.length > 0 ? `came: ${came.join()}` : went.length > 0 ? `went: ${went.join()}` : ''
}

const isFailure = ({ output }: ShownCall): boolean => !/^(Edit applied|Wrote file|Success)/.test(output)

/** The text that the next edit is likely to touch; null where that is too long. */
const nearOf = (text: unknown): string | null =>
  typeof text === 'string' && text.length < 2_000 && text.trim() !== '' ? crlfToLf(text).trim() : null

/** Plays a file: draws the calls of the next message from what is believed, after judging those of the last one. */
export class Player {
  readonly #place: PlayerPlace
  #believed: string
  #sent: Array<PlayedCall> = []
  #near: string | null = null

  constructor(place: PlayerPlace) {
    this.#place = place
    this.#believed = crlfToLf(place.read())
  }

  /** Judges the calls of the last message, if there was one. */
  judge(shown: Array<ShownCall>): void {
    const sent = this.#sent
    if (sent.length === 0 || shown.length !== sent.length) return
    this.#sent = []
    const text = crlfToLf(this.#place.read())
    const believed = shown.reduce<string | null>(
      (now, { args }) => now === null ? null : believe(now, plainArgs(args)),
      this.#believed,
    )
    const { verdict, why } = this.#verdictOf(sent, shown, believed, text)
    this.#place.onJudged({ verdict, why, sent, shown, believed, text })
    const { newString, content } = shown.at(-1)!.args
    this.#near = nearOf(newString ?? content)
    this.#believed = verdict === 'blank lines went' ? crlfToLf(believed ?? text) : text
  }

  #verdictOf(
    sent: Array<PlayedCall>,
    shown: Array<ShownCall>,
    believed: string | null,
    text: string,
  ): { verdict: Verdict; why: string } {
    const { name } = this.#place
    if (shown.some(isFailure)) return { verdict: 'fails', why: shown.find(isFailure)!.output }
    const isCorrected =
      JSON.stringify(sent.map(({ args }) => args)) !== JSON.stringify(shown.map(({ args }) => args))
    const wrong = shown.map((call, index) => wrongness(sent[index]!, call)).find((why) => why !== '')
    if (isCorrected && wrong !== undefined) return { verdict: 'wrong', why: wrong }
    if (believed !== null && crlfToLf(believed) === text) {
      return { verdict: isCorrected ? 'corrected' : 'true as sent', why: '' }
    }
    const output = shown.find((call) => call.output.includes(`${name} was formatted`))?.output ?? ''
    const told = toldBy(output, name, believed ?? '', text)
    if (told !== null) return { verdict: told, why: '' }
    const isBlank = believed !== null && withoutBlank(believed) === withoutBlank(text)
    if (isBlank && afterNote(output, name, believed) === believed) {
      return { verdict: 'blank lines went', why: '' }
    }
    return { verdict: 'silent', why: believed === null ? 'a shown call does not apply' : 'not all is told' }
  }

  /** The calls of the next message; none where the file gives none. */
  async next(): Promise<Array<PlayedCall>> {
    const { random, calls } = this.#place
    let believed = this.#believed
    const count = 1 + random.below(calls)
    while (this.#sent.length < count) {
      const drawn = await this.#draw(believed)
      if (!drawn) break
      this.#sent.push(drawn.call)
      believed = drawn.made
      this.#near = nearOf(drawn.call.args['newString'])
    }
    return this.#sent
  }

  async #draw(believed: string): Promise<{ call: PlayedCall; made: string } | null> {
    const { random, formatter, tool, path, name, extension } = this.#place
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const near = random.below(10) < 6 ? this.#near : null
      const edit = drawEdit(random, believed, extension, tool, near)
      if (!edit) continue
      const args = argsOf(edit, path, name)
      const made = believe(believed, args)
      if (made === null || made.trim() === '' || made === believed) continue
      if (await formatter.format(made, path) === null) continue
      return { call: { tool: edit.tool, args }, made }
    }
    return null
  }
}
