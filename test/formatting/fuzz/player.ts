/** A model that works on some files, each message from what its requests show; and the judge of what it is shown. */
import { relative } from 'node:path'
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { afterNote, believe, linesRead, noteIn, toldBy, withoutBlank } from './belief.ts'
import { argsOf, drawEdit, patchText, sectionOf } from './edits.ts'
import type { FuzzFormatter } from './formatters.ts'
import type { Random } from './random.ts'

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** What a message of calls leaves the model to believe, the worst of all files. */
export const VERDICTS = [
  'true as sent',
  'corrected',
  // Removed blank lines are not reported.
  'blank lines went',
  'told by a diff',
  'told by line numbers',
  'told to read again',
  'silent',
  'wrong',
  // A note says that the formatter did what another did.
  'wrong cause',
  // A line is said to break a rule that no call wrote so.
  'marks another',
  // A call of the message did not apply.
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

export const UNTRUE: ReadonlyArray<Verdict> = [
  'silent',
  'wrong',
  'wrong cause',
  'marks another',
  'fails',
]

export type Judged = {
  verdict: Verdict
  why: string
  sent: Array<PlayedCall>
  shown: Array<ShownCall>
  believed: string | null
  text: string
}

/** A file, absolute, with the links that lead to it; a `generated` one is written by the formatter of others. */
export type PlayedFile = { paths: Array<string>; extension: string; generated?: boolean; read(): string }

export type PlayerPlace = {
  random: Random
  formatter: FuzzFormatter
  tool: 'edit' | 'apply_patch'
  directory: string
  files: Array<PlayedFile>
  /** The most calls of one message. */
  calls: number
  /** Whether shell commands change files, too. */
  withShell: boolean
  onJudged(judged: Judged): void
}

const DRAWS = 40

/** What a shell command adds to the end of a file. */
const ADDED: Record<string, string> = { '.css': '/* by a shell */', '.md': 'By a shell.' }
const addedTo = (extension: string): string => ADDED[extension] ?? '// by a shell'

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

const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** The lines that a rule of the fuzzer forbids: signs that formatters insert, too. */
export const SIGNS = String.raw`;$|"|,$|^\t`

/**
 * The words of a line, joined: formatters and linters change signs, quotes and braces, and insert `const`. A line without
 * words is compared by its signs.
 */
const plainOf = (line: string): string =>
  line.replace(/\b(?:var|let|const)\b/g, '').match(/[\p{L}\p{N}_$]+/gu)?.join(' ') ?? bareTextOf(line).text

/** The lines of a text that have such signs and that another text has less often, by what formatters leave alone. */
const breakingIn = (text: string, before: string): Array<string> => {
  const left = new Map<string, number>()
  for (const line of before.split('\n')) left.set(line, (left.get(line) ?? 0) + 1)
  const isNew = (line: string) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  }
  return text.split('\n').filter((line) => isNew(line) && new RegExp(SIGNS).test(line))
    .map(plainOf)
}

/** A line that is said to break a rule, and is none of those; empty where there is none. */
const markedOfOthers = (breaking: Array<string>, shown: Array<ShownCall>): string => {
  const blocks = shown.flatMap(({ output }) => output.split('\n\n')).filter((one) =>
    one.includes('breaks rules')
  )
  const marked = blocks.flatMap((block) => [...block.matchAll(/^ {2}\d+: (.*)$/gm)].map(([, line]) => line!))
  return marked.find((line) => {
    const bare = plainOf(line.replace(/…$/, ''))
    return !breaking.some((one) => one.includes(bare) || bare.includes(one))
  }) ?? ''
}

/** The text that the next edit is likely to touch; null where that is too long. */
const nearOf = (text: unknown): string | null =>
  typeof text === 'string' && text.length < 2_000 && text.trim() !== '' ? crlfToLf(text).trim() : null

/** What a note on a file says that is not so; empty where all of it is. */
const untruthOf = (note: string, believed: string, text: string): string => {
  const adds = note.includes('by a shell') && !believed.includes('by a shell')
  if (note.includes('was formatted') && adds) return note
  const [, dropped = ''] = note.split('which dropped words from:\n')
  const all = ` ${text.match(/[\p{L}\p{N}_$]+/gu)?.join(' ')} `
  const still = dropped.split('\n').find((line) => {
    const words = line.match(/[\p{L}\p{N}_$]+/gu) ?? []
    return words.length > 2 && all.split(` ${words.join(' ')} `).length === 2
  })
  return still === undefined ? '' : `not dropped: ${still}`
}

/** What is judged of one file: what the model believed of it once its calls were shown, and goes on to believe. */
type FileJudged = Pick<Judged, 'verdict' | 'why' | 'believed' | 'text'> & { after: string }

/** Plays files: draws the calls of the next message from what is believed, after judging those of the last one. */
export class Player {
  readonly #place: PlayerPlace
  readonly #believed: Map<PlayedFile, string>
  #sent: Array<PlayedCall> | null = null
  #near: string | null = null

  constructor(place: PlayerPlace) {
    this.#place = place
    this.#believed = new Map(place.files.map((file) => [file, crlfToLf(file.read())]))
  }

  /** Reads of all files, for the first message. */
  start(): Array<PlayedCall> {
    return this.#place.files.map(({ paths }) => ({ tool: 'read', args: { filePath: paths[0] } }))
  }

  /** Judges the calls of the last message, if there was one. */
  judge(shown: Array<ShownCall>): void {
    const sent = this.#sent
    if (sent === null || shown.length !== sent.length) return
    this.#sent = null
    const written = this.#place.files.map((file) => this.#breakingIn(file, sent))
    const all = this.#place.files.map((file) => this.#judgeFile(file, sent, shown))
    for (const [index, file] of this.#place.files.entries()) this.#believed.set(file, all[index]!.after)
    const marked = written.includes(null) ? '' : markedOfOthers(written.flatMap((one) => one ?? []), shown)
    if (marked !== '') all[0] = { ...all[0]!, verdict: 'marks another', why: marked }
    const [worst] = all.toSorted((one, other) =>
      VERDICTS.indexOf(other.verdict) - VERDICTS.indexOf(one.verdict)
    )
    const { verdict, why, believed, text } = worst!
    const at = this.#namesOf(this.#place.files[all.indexOf(worst!)]!)[0]
    this.#place.onJudged({ verdict, why: `${at}: ${why}`, sent, shown, believed, text })
    const { newString, content } = shown.findLast(({ tool }) => tool !== 'read')?.args ?? {}
    this.#near = nearOf(newString ?? content)
  }

  #namesOf({ paths }: PlayedFile): Array<string> {
    return paths.map((path) => relative(this.#place.directory, path))
  }

  /** The lines with forbidden signs that the calls of a message write to a file; null where that is not known. */
  #breakingIn(file: PlayedFile, sent: Array<PlayedCall>): Array<string> | null {
    const before = this.#believed.get(file)!
    let text: string | null = before
    for (const { tool, args } of sent) {
      const isOther = typeof args['filePath'] === 'string' && !file.paths.includes(args['filePath'])
      if (tool === 'read' || tool === 'bash' || isOther || text === null) continue
      text = believe(text, plainArgs(args), this.#namesOf(file))
    }
    return text === null ? null : breakingIn(text, before)
  }

  /** What a model that reads a message from the top believes of a file; a read is believed. */
  #believedAfter(file: PlayedFile, shown: Array<ShownCall>): { believed: string | null; why: string } {
    let believed: string | null = this.#believed.get(file)!
    // A read does not show it.
    const lastEnd = believed.endsWith('\n') ? '\n' : ''
    for (const { tool, args, output } of shown) {
      const { filePath, offset } = args
      if (typeof filePath === 'string' && !file.paths.includes(filePath)) continue
      // A read shows only the beginning of a long line.
      if (tool === 'bash' || believed === null || output.includes('line truncated to')) continue
      if (tool !== 'read') believed = believe(believed, plainArgs(args), this.#namesOf(file))
      else if (offset === undefined || (offset === 1 && output.includes('\n(End of file'))) {
        believed = linesRead(output).join('\n') + lastEnd
      } else {
        // It is the last call on its file.
        const now = crlfToLf(file.read()).split('\n').slice(Number(offset) - 1)
        const isSame = linesRead(output).every((line, index) => line === now[index])
        if (!isSame) return { believed: null, why: 'a read of a part shows other lines' }
      }
    }
    return { believed, why: believed === null ? 'a shown call does not apply' : '' }
  }

  #judgeFile(file: PlayedFile, sent: Array<PlayedCall>, shown: Array<ShownCall>): FileJudged {
    const text = crlfToLf(file.read())
    const { believed, why } = this.#believedAfter(file, shown)
    const judged = { why, believed, text, after: text }
    const failed = shown.find(isFailure)
    if (failed) return { ...judged, verdict: 'fails', why: failed.output }
    const isCorrected = sent.some(({ args }, index) =>
      JSON.stringify(args) !== JSON.stringify(shown[index]!.args)
    )
    const wrong = shown.map((call, index) => wrongness(sent[index]!, call)).find((one) => one !== '')
    if (isCorrected && wrong !== undefined) return { ...judged, verdict: 'wrong', why: wrong }
    const names = this.#namesOf(file)
    const name = names.find((one) => shown.some(({ output }) => noteIn(output, one) !== '')) ?? names[0]!
    const output = shown.find((call) => noteIn(call.output, name) !== '')?.output ?? ''
    const untrue = untruthOf(noteIn(output, name), believed ?? '', text)
    if (untrue !== '') return { ...judged, verdict: 'wrong cause', why: untrue }
    if (believed !== null && (believed === text || (!believed.endsWith('\n') && `${believed}\n` === text))) {
      const verdict = isCorrected ? 'corrected' : 'true as sent'
      // Blank lines that went earlier may be told.
      const [, diff = ''] = noteIn(output, name).split('differs from what you saw')
      return !/^[+-].*\S/m.test(diff) && !diff.includes(': lines')
        ? { ...judged, verdict }
        : { ...judged, verdict: 'wrong cause', why: `nothing differs: ${output}` }
    }
    const told = toldBy(output, name, believed ?? '', text)
    const isBlank = believed !== null && withoutBlank(believed) === withoutBlank(text)
    if (told === null && isBlank && afterNote(output, name, believed) === believed) {
      return { ...judged, verdict: 'blank lines went', after: believed }
    }
    if (told === null) return { ...judged, verdict: 'silent', why: why || 'not all is told' }
    const after = told === 'told by a diff' ? afterNote(output, name, believed!) : text
    return { ...judged, verdict: told, after: after ?? text }
  }

  /** The calls of the next message; none where the files give none. */
  async next(): Promise<Array<PlayedCall>> {
    const { random, calls, files, withShell } = this.#place
    const believed = new Map(this.#believed)
    const sent: Array<PlayedCall> = []
    // With the first edit is seen that its formatter writes another file.
    const count = this.#near === null && files.length > 2 ? 1 : 1 + random.below(calls)
    while (sent.length < count) {
      const file = random.oneIn(3) ? random.pick(files) : files[0]!
      const isRead = random.oneIn(5)
      const drawn = isRead ? { tool: 'read', args: this.#readOf(file) } : await this.#draw(file, believed)
      if (!drawn) break
      sent.push(drawn)
      // It shows a part of the file as it then is: calls above it are all of them.
      if (drawn.args['offset'] !== undefined) break
    }
    const [file] = files
    const names = this.#namesOf(file!)
    const isOn = ({ tool, args }: PlayedCall) =>
      tool !== 'read' && (file!.paths.includes(String(args['filePath']))
        || names.some((name) => String(args['patchText']).includes(`*** Update File: ${name}\n`)))
    if (withShell && random.oneIn(8) && file!.extension !== '.json' && sent.some(isOn)) {
      const command = `sleep 3; echo '${addedTo(file!.extension)}' >> ${names[0]}`
      sent.push({ tool: 'bash', args: { command, description: 'adds a line' } })
    }
    return this.#sent = sent
  }

  #readOf(file: PlayedFile): Record<string, unknown> {
    const { random } = this.#place
    const filePath = random.pick(file.paths)
    const lines = this.#believed.get(file)!.split('\n').length
    return random.oneIn(4)
      ? { filePath, offset: 1 + random.below(Math.ceil(lines / 3)), limit: 5 }
      : { filePath }
  }

  async #draw(file: PlayedFile, believed: Map<PlayedFile, string>): Promise<PlayedCall | null> {
    const { random, tool, files } = this.#place
    const isTogether = tool === 'apply_patch' && random.oneIn(2)
    const sections: Array<string> = []
    for (const one of isTogether ? files : [file]) {
      const drawn = await this.#drawEdit(one, believed.get(one)!)
      if (!drawn) continue
      believed.set(one, drawn.made)
      if (drawn.call.tool !== 'apply_patch') return drawn.call
      sections.push(...sectionOf(drawn.call.args))
    }
    return sections.length > 0 ? { tool, args: { patchText: patchText(sections) } } : null
  }

  async #drawEdit(file: PlayedFile, believed: string): Promise<{ call: PlayedCall; made: string } | null> {
    const { random, formatter, tool } = this.#place
    const at = random.below(file.paths.length)
    const [path, name] = [file.paths[at]!, this.#namesOf(file)[at]!]
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const near = random.below(10) < 6 ? this.#near : null
      const edit = drawEdit(random, believed, file.extension, tool, near)
      if (!edit) continue
      const args = argsOf(edit, path, name)
      const made = believe(believed, args)
      if (made === null || made.trim() === '' || made === believed) continue
      if (!file.generated && await formatter.format(made, file.paths[0]!) === null) continue
      this.#near = nearOf(args['newString'])
      return { call: { tool: edit.tool, args }, made }
    }
    return null
  }
}
