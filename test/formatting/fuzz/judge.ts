/** Judges how true a model's view of a file is after a message, by what its next request shows. */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { afterNote, applyCall, linesRead, noteIn, reportedBy, withoutBlank } from './belief.ts'

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** A file by its path and that of a link to it, absolute and as patches name them. */
export type PlayedFile = {
  paths: Array<string>
  names: Array<string>
  extension: string
  /** Whether the formatter of other files writes it. */
  isGenerated?: boolean
  read(): string
}

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

type FileJudgement = {
  verdict: Verdict
  reason: string
  /** The file as the model knows it without notes; null if it cannot know it. */
  believed: string | null
  text: string
  /** What the model believes from then on. */
  after: string
}

/** The judgement of the worst file, and the calls of the message. */
export type Judgement = FileJudgement & { sent: Array<PlayedCall>; shown: Array<ShownCall> }

/** The pattern that the rule of the fuzzer forbids: signs that formatters insert, too. */
export const SIGNS = String.raw`;$|"|,$|^\t`

const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []

/** Returns the words that a call writes, except those that a formatter may insert or remove. */
const wordsOf = ({ content, newString, patchText }: Record<string, unknown>): Array<string> =>
  wordsIn(String(content ?? newString ?? patchText).toLowerCase())
    .filter((word) => !['var', 'let', 'const', 'else', 'export'].includes(word))

/** Returns what is wrong with corrected arguments, or an empty text. A removed word must be reported. */
const errorInCorrection = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [before, after] = [wordsOf(sent.args), wordsOf(args)]
  const reported = output.toLowerCase()
  const came = after.filter((word) => !before.includes(word))
  const lost = before.filter((word) => !after.includes(word) && !reported.includes(word))
  if (came.length > 0) return `came: ${came}`
  return lost.length > 0 ? `went: ${lost}` : ''
}

/** Returns an untrue part of a note on a file, or an empty text. */
const errorInNote = (note: string, believed: string, text: string): string => {
  const addsShellLine = note.includes('by a shell') && !believed.includes('by a shell')
  if (note.includes('was formatted') && addsShellLine) return note
  const [, dropped = ''] = note.split('which dropped words from:\n')
  const allWords = ` ${wordsIn(text).join(' ')} `
  const keptLine = dropped.split('\n').find((line) => {
    const words = wordsIn(line)
    return words.length > 2 && allWords.split(` ${words.join(' ')} `).length === 2
  })
  return keptLine === undefined ? '' : `not dropped: ${keptLine}`
}

/**
 * Returns the words of a line, joined: formatters and linters change signs, quotes and braces, and insert `const`. Of a
 * line without words, returns the signs.
 */
const comparableLine = (line: string): string =>
  wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || bareTextOf(line).text

/**
 * Returns the new lines of a text that break the rule, by their words and by their signs: a formatter may split a line.
 * A line that the text has more often than before is new.
 */
const breakingLines = (before: string, text: string): Array<string> => {
  const oldLines = before.split('\n')
  const isNew = (line: string) => {
    const at = oldLines.indexOf(line)
    if (at >= 0) oldLines.splice(at, 1)
    return at < 0
  }
  return text.split('\n').filter((line) => isNew(line) && new RegExp(SIGNS).test(line))
    .flatMap((line) => [comparableLine(line), bareTextOf(line).text])
}

/** Returns a line that is reported to break the rule although no call wrote it, or an empty text. */
export const unjustifiedReport = (
  believed: Map<PlayedFile, string>,
  sent: Array<PlayedCall>,
  shown: Array<ShownCall>,
): string => {
  const texts = [...believed].map(([file, before]) => [before, believedAfter(file, before, sent)] as const)
  // If a call does not apply, it is not known what it wrote.
  if (texts.some(([, text]) => text === null)) return ''
  const breaking = texts.flatMap(([before, text]) => breakingLines(before, text!))
  const blocks = shown.flatMap(({ output }) => output.split('\n\n'))
  const reported = blocks.filter((block) => block.includes('breaks rules'))
    // for example `  12: let a = 1;`
    .flatMap((block) => [...block.matchAll(/^ {2}\d+: (.*)$/gm)].map(([, line]) => line!))
  return reported.find((line) => {
    const comparable = comparableLine(line.replace(/…$/, ''))
    return !breaking.some((written) => written.includes(comparable) || comparable.includes(written))
  }) ?? ''
}

const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** Returns the text that the model knows after a read; null if the read shows lines that the file does not have. */
const afterRead = (file: PlayedFile, believed: string, { args, output }: PlayedCall & { output: string }) => {
  const text = crlfToLf(file.read())
  const { offset } = args
  const lines = linesRead(output)
  if (offset === undefined || (offset === 1 && output.includes('\n(End of file'))) {
    // A read does not show whether the last line has an end.
    return lines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  }
  // A read of a part of a file is the last call of its message, so it shows the present file.
  const current = text.split('\n').slice(Number(offset) - 1)
  return lines.every((line, index) => line === current[index]) ? believed : null
}

/** Returns the file as the model knows it after calls as sent or as shown; null if one does not apply. */
const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    const { filePath } = args
    const isOther = typeof filePath === 'string' && !file.paths.includes(filePath)
    // A read shows only the beginning of a long line, and one that was only sent shows nothing.
    const showsNothing = output.includes('line truncated to') || (tool === 'read' && output === '')
    if (isOther || tool === 'bash' || believed === null || showsNothing) continue
    if (tool === 'read') believed = afterRead(file, believed, { tool, args, output })
    else {
      const withLf = Object.entries(args)
        .map(([name, value]) => [name, typeof value === 'string' ? crlfToLf(value) : value])
      believed = applyCall(believed, Object.fromEntries(withLf), file.names)
    }
  }
  return believed
}

/** Judges one file by what the model believed before the message, and the calls of the message. */
export const judgeFile = (
  file: PlayedFile,
  before: string,
  sent: Array<PlayedCall>,
  shown: Array<ShownCall>,
): FileJudgement => {
  const text = crlfToLf(file.read())
  const believed = believedAfter(file, before, shown)
  const judged = (verdict: Verdict, reason = '', after = text) => ({ verdict, reason, believed, text, after })

  const failed = shown.find(isFailure)
  if (failed) return judged('fails', failed.output)
  const wrong = shown.map((call, at) => errorInCorrection(sent[at]!, call)).find((error) => error !== '')
  if (wrong !== undefined) return judged('wrong', wrong)
  const notes = shown.flatMap(({ output }) =>
    file.names.map((name) => ({ name, output, note: noteIn(output, name) }))
  )
  const { name, output, note } = notes.find((each) => each.note !== '')
    ?? { name: '', output: '', note: '' }
  const untrue = errorInNote(note, believed ?? '', text)
  if (untrue !== '') return judged('wrong cause', untrue)

  if (believed !== null && (believed === text || believed.replace(/[^\n]$/, '$&\n') === text)) {
    // A note may report blank lines that an earlier message removed.
    const [, diff = ''] = note.split('differs from what you saw')
    if (/^[+-].*\S/m.test(diff) || diff.includes(': lines')) {
      return judged('wrong cause', `nothing differs: ${output}`)
    }
    const isCorrected = sent.some(({ args }, at) => !Bun.deepEquals(args, shown[at]!.args))
    return judged(isCorrected ? 'corrected' : 'true as sent')
  }
  const reported = reportedBy(output, name, believed ?? '', text)
  const noted = afterNote(output, name, believed ?? '')
  if (reported === 'told by a diff') return judged(reported, '', noted!)
  if (reported !== null) return judged(reported)
  if (believed !== null && noted === believed && withoutBlank(believed) === withoutBlank(text)) {
    return judged('blank lines went', '', believed)
  }
  return judged(
    'silent',
    believed === null ? 'a call does not apply, or a read shows other lines' : 'no note',
  )
}
