/** Plays a model that edits files by what its requests show, and judges whether these requests show the files as they are. */
import { relative } from 'node:path'
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { afterNote, applyCall, linesRead, noteIn, reportedBy, withoutBlank } from './belief.ts'
import { drawEdit, linesOfPatch, patchText } from './edits.ts'
import type { FuzzFormatter } from './formatters.ts'
import type { Random } from './random.ts'

/** A call as the model sends it. */
type PlayedCall = { tool: string; args: Record<string, unknown> }

/** How true the model's view of the files is after a message, from best to worst. The worst file counts. */
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
  // A note says that the formatter made a change of somebody else.
  'wrong cause',
  // A line is reported to break a rule although no call wrote it.
  'marks another',
  // A call of the message did not apply.
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

export const UNTRUE: ReadonlyArray<Verdict> = VERDICTS.slice(VERDICTS.indexOf('silent'))

export type Judgement = {
  verdict: Verdict
  reason: string
  sent: Array<PlayedCall>
  shown: Array<ShownCall>
  believed: string | null
  text: string
}

/** A file by its absolute path and the links to it; the formatter of other files writes a `generated` one. */
export type PlayedFile = { paths: Array<string>; extension: string; generated?: boolean; read(): string }

type PlayerOptions = {
  random: Random
  formatter: FuzzFormatter
  tool: 'edit' | 'apply_patch'
  directory: string
  files: Array<PlayedFile>
  /** The most calls of one message. */
  calls: number
  onJudged(judged: Judgement): void
}

const DRAWS = 40

/** The line that a shell command adds to the end of a file. */
const SHELL_LINES: Record<string, string> = { '.css': '/* by a shell */', '.md': 'By a shell.' }
const shellLineOf = (extension: string): string => SHELL_LINES[extension] ?? '// by a shell'

const argsWithLf = (args: Record<string, unknown>): Record<string, unknown> => {
  const withLf = (value: unknown) => typeof value === 'string' ? crlfToLf(value) : value
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, withLf(value)]))
}

/** Words that a formatter may insert or remove. */
const IGNORED = new Set(['var', 'let', 'const', 'else', 'export'])

/** Returns the words of the text that a call writes. */
const wordsOf = (args: Record<string, unknown>): Array<string> => {
  const text = String(args['content'] ?? args['newString'] ?? args['patchText'])
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu))].filter((word) => !IGNORED.has(word))
}

/** Returns what is wrong with corrected arguments, or an empty text. A removed word must be reported. */
const errorInCorrection = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [before, after] = [wordsOf(sent.args), wordsOf(args)]
  const came = after.filter((word) => !before.includes(word))
  const reported = output.toLowerCase()
  const lost = before.filter((word) => !after.includes(word) && !reported.includes(word))
  return came.length > 0 ? `came: ${came.join()}` : lost.length > 0 ? `went: ${lost.join()}` : ''
}

const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** The pattern that the rule of the fuzzer forbids: signs that formatters insert, too. */
export const SIGNS = String.raw`;$|"|,$|^\t`

/**
 * The words of a line, joined: formatters and linters change signs, quotes and braces, and insert `const`. A line without
 * words is compared by its signs.
 */
const comparableLine = (line: string): string =>
  line.replace(/\b(?:var|let|const)\b/g, '').match(/[\p{L}\p{N}_$]+/gu)?.join(' ') ?? bareTextOf(line).text

/**
 * Returns the new lines of a text that match the pattern, by their words and by their signs: a formatter may split a
 * line. A line that the text has more often than before is new.
 */
const breakingIn = (text: string, before: string): Array<string> => {
  const old = before.split('\n')
  const isNew = (line: string) => {
    const at = old.indexOf(line)
    if (at >= 0) old.splice(at, 1)
    return at < 0
  }
  return text.split('\n').filter((line) => isNew(line) && new RegExp(SIGNS).test(line))
    .flatMap((line) => [comparableLine(line), bareTextOf(line).text])
}

/** Returns a line that is reported to break a rule and is not in `breaking`, or an empty text. */
const unjustifiedReport = (breaking: Array<string>, shown: Array<ShownCall>): string => {
  const reported = shown.flatMap(({ output }) => output.split('\n\n'))
    .filter((block) => block.includes('breaks rules'))
    .flatMap((block) => [...block.matchAll(/^ {2}\d+: (.*)$/gm)].map(([, line]) => line!))
  return reported.find((line) => {
    const bare = comparableLine(line.replace(/…$/, ''))
    return !breaking.some((breakingLine) => breakingLine.includes(bare) || bare.includes(breakingLine))
  }) ?? ''
}

/** Returns a written text that the next edit is likely to touch, or null if it is too long. */
const recentOf = (text: unknown): string | null =>
  typeof text === 'string' && text.length < 2_000 && text.trim() !== '' ? crlfToLf(text).trim() : null

/** Returns an untrue part of a note on a file, or an empty text. */
const errorInNote = (note: string, believed: string, text: string): string => {
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

/** The verdict on one file; `after` is what the model believes from then on. */
type FileJudgement = Pick<Judgement, 'verdict' | 'reason' | 'believed' | 'text'> & { after: string }

/** Judges the calls of the last message, then draws those of the next from what the model believes. */
export class Player {
  readonly #options: PlayerOptions
  readonly #believed: Map<PlayedFile, string>
  #sent: Array<PlayedCall> | null = null
  #recent: string | null = null

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#believed = new Map(options.files.map((file) => [file, crlfToLf(file.read())]))
  }

  /** Returns the calls of the first message: a read of each file. */
  start(): Array<PlayedCall> {
    return this.#options.files.map(({ paths }) => ({ tool: 'read', args: { filePath: paths[0] } }))
  }

  /** Judges the calls of the last message, if there was one. */
  judge(shown: Array<ShownCall>): void {
    const sent = this.#sent
    if (sent === null || shown.length !== sent.length) return
    this.#sent = null
    const written = this.#options.files.map((file) => this.#breakingIn(file, sent))
    const all = this.#options.files.map((file) => this.#judgeFile(file, sent, shown))
    for (const [index, file] of this.#options.files.entries()) this.#believed.set(file, all[index]!.after)
    const unjustified = written.includes(null)
      ? ''
      : unjustifiedReport(written.flatMap((one) => one ?? []), shown)
    if (unjustified !== '') all[0] = { ...all[0]!, verdict: 'marks another', reason: unjustified }
    const [worst] = all.toSorted((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict))
    const { verdict, reason, believed, text } = worst!
    const at = this.#namesOf(this.#options.files[all.indexOf(worst!)]!)[0]
    this.#options.onJudged({ verdict, reason: `${at}: ${reason}`, sent, shown, believed, text })
    const { newString, content } = shown.findLast(({ tool }) => tool !== 'read')?.args ?? {}
    this.#recent = recentOf(newString ?? content)
  }

  #namesOf({ paths }: PlayedFile): Array<string> {
    return paths.map((path) => relative(this.#options.directory, path))
  }

  /** Returns the lines of a file that break the rule and that the calls wrote; null if a call does not apply. */
  #breakingIn(file: PlayedFile, sent: Array<PlayedCall>): Array<string> | null {
    const before = this.#believed.get(file)!
    let text: string | null = before
    for (const { tool, args } of sent) {
      const isOther = typeof args['filePath'] === 'string' && !file.paths.includes(args['filePath'])
      if (tool === 'read' || tool === 'bash' || isOther || text === null) continue
      text = applyCall(text, argsWithLf(args), this.#namesOf(file))
    }
    return text === null ? null : breakingIn(text, before)
  }

  /** Returns what the model believes of a file after it has read the calls of a message in their order. */
  #believedAfter(file: PlayedFile, shown: Array<ShownCall>): { believed: string | null; reason: string } {
    let believed: string | null = this.#believed.get(file)!
    // A read does not show whether the last line has an end.
    const lastEnd = file.read().endsWith('\n') ? '\n' : ''
    for (const { tool, args, output } of shown) {
      const { filePath, offset } = args
      if (typeof filePath === 'string' && !file.paths.includes(filePath)) continue
      // A read shows only the beginning of a long line.
      if (tool === 'bash' || believed === null || output.includes('line truncated to')) continue
      if (tool !== 'read') believed = applyCall(believed, argsWithLf(args), this.#namesOf(file))
      else if (offset === undefined || (offset === 1 && output.includes('\n(End of file'))) {
        believed = linesRead(output).join('\n') + lastEnd
      } else {
        // A read of a part of a file is the last call of its message, so it shows the present file.
        const current = crlfToLf(file.read()).split('\n').slice(Number(offset) - 1)
        const isSame = linesRead(output).every((line, index) => line === current[index])
        if (!isSame) return { believed: null, reason: 'a read of a part shows other lines' }
      }
    }
    return { believed, reason: believed === null ? 'a shown call does not apply' : '' }
  }

  #judgeFile(file: PlayedFile, sent: Array<PlayedCall>, shown: Array<ShownCall>): FileJudgement {
    const text = crlfToLf(file.read())
    const { believed, reason } = this.#believedAfter(file, shown)
    const judged = { reason, believed, text, after: text }
    const failed = shown.find(isFailure)
    if (failed) return { ...judged, verdict: 'fails', reason: failed.output }
    const isCorrected = sent.some(({ args }, index) =>
      JSON.stringify(args) !== JSON.stringify(shown[index]!.args)
    )
    const wrong = shown.map((call, index) => errorInCorrection(sent[index]!, call)).find((error) =>
      error !== ''
    )
    if (isCorrected && wrong !== undefined) return { ...judged, verdict: 'wrong', reason: wrong }
    const names = this.#namesOf(file)
    const name = names.find((candidate) => shown.some(({ output }) => noteIn(output, candidate) !== ''))
      ?? names[0]!
    const output = shown.find((call) => noteIn(call.output, name) !== '')?.output ?? ''
    const untrue = errorInNote(noteIn(output, name), believed ?? '', text)
    if (untrue !== '') return { ...judged, verdict: 'wrong cause', reason: untrue }
    if (believed !== null && (believed === text || (!believed.endsWith('\n') && `${believed}\n` === text))) {
      const verdict = isCorrected ? 'corrected' : 'true as sent'
      // A note may report blank lines that an earlier message removed.
      const [, diff = ''] = noteIn(output, name).split('differs from what you saw')
      return !/^[+-].*\S/m.test(diff) && !diff.includes(': lines')
        ? { ...judged, verdict }
        : { ...judged, verdict: 'wrong cause', reason: `nothing differs: ${output}` }
    }
    const reported = reportedBy(output, name, believed ?? '', text)
    const isBlank = believed !== null && withoutBlank(believed) === withoutBlank(text)
    if (reported === null && isBlank && afterNote(output, name, believed) === believed) {
      return { ...judged, verdict: 'blank lines went', after: believed }
    }
    if (reported === null) {
      return { ...judged, verdict: 'silent', reason: reason || 'no note reports the difference' }
    }
    const after = reported === 'told by a diff' ? afterNote(output, name, believed!) : text
    return { ...judged, verdict: reported, after: after ?? text }
  }

  /** Draws the calls of the next message; none if no edit of the files could be drawn. */
  async next(): Promise<Array<PlayedCall>> {
    const { random, calls, files } = this.#options
    const believed = new Map(this.#believed)
    const sent: Array<PlayedCall> = []
    // Only the first edit shows that its formatter writes another file.
    const count = this.#recent === null && files.length > 2 ? 1 : 1 + random.below(calls)
    while (sent.length < count) {
      const file = random.oneIn(3) ? random.pick(files) : files[0]!
      const isRead = random.oneIn(5)
      const drawn = isRead ? { tool: 'read', args: this.#readOf(file) } : await this.#draw(file, believed)
      if (!drawn) break
      sent.push(drawn)
      // A read of a part is compared with the file after the message, so no call may follow it.
      if (drawn.args['offset'] !== undefined) break
    }
    const [file] = files
    const names = this.#namesOf(file!)
    const isOn = ({ tool, args }: PlayedCall) =>
      tool !== 'read' && (file!.paths.includes(String(args['filePath']))
        || names.some((name) => String(args['patchText']).includes(`*** Update File: ${name}\n`)))
    if (random.oneIn(8) && file!.extension !== '.json' && sent.some(isOn)) {
      const command = `sleep 3; echo '${shellLineOf(file!.extension)}' >> ${names[0]}`
      sent.push({ tool: 'bash', args: { command, description: 'adds a line' } })
    }
    return this.#sent = sent
  }

  #readOf(file: PlayedFile): Record<string, unknown> {
    const { random } = this.#options
    const filePath = random.pick(file.paths)
    const lines = this.#believed.get(file)!.split('\n').length
    return random.oneIn(4)
      ? { filePath, offset: 1 + random.below(Math.ceil(lines / 3)), limit: 5 }
      : { filePath }
  }

  async #draw(file: PlayedFile, believed: Map<PlayedFile, string>): Promise<PlayedCall | null> {
    const { random, tool, files } = this.#options
    const isTogether = tool === 'apply_patch' && random.oneIn(2)
    const sections: Array<string> = []
    for (const each of isTogether ? files : [file]) {
      const drawn = await this.#drawEdit(each, believed.get(each)!)
      if (!drawn) continue
      believed.set(each, drawn.made)
      if (drawn.call.tool !== 'apply_patch') return drawn.call
      sections.push(...linesOfPatch(drawn.call.args))
    }
    return sections.length > 0 ? { tool, args: { patchText: patchText(sections) } } : null
  }

  async #drawEdit(file: PlayedFile, believed: string): Promise<{ call: PlayedCall; made: string } | null> {
    const { random, formatter, tool } = this.#options
    const at = random.below(file.paths.length)
    const [filePath, name] = [file.paths[at]!, this.#namesOf(file)[at]!]
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const recent = random.below(10) < 6 ? this.#recent : null
      const edited = { filePath, name, text: believed, extension: file.extension, recent }
      const call = drawEdit(random, edited, tool)
      const result = call && applyCall(believed, call.args)
      if (result === null || result.trim() === '' || result === believed) continue
      if (!file.generated && await formatter.format(result, file.paths[0]!) === null) continue
      this.#recent = recentOf(call!.args['newString'])
      return { call: call!, made: result }
    }
    return null
  }
}
