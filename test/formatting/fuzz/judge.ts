/** Judges whether a model's view of a file is true after its message: compares the next request with the file. */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { afterNote, applyCall, linesRead, noteIn, reportedBy, withoutBlank } from './belief.ts'

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** A file that the model edits. */
export type PlayedFile = {
  /** The absolute path of the file and, in some sessions, that of a link to it. */
  paths: Array<string>
  /** The same paths as patches name them. */
  names: Array<string>
  extension: string
  /** Set if the formatter of the other files also writes this one. */
  isGenerated?: boolean
  read(): string
}

/** How true the model's view of the files is after a message, from best to worst. */
export const VERDICTS = [
  // The calls as the model sent them produce the file.
  'true as sent',
  // The calls as the next request shows them produce the file.
  'corrected',
  // The file differs in blank lines only, which notes omit.
  'blank lines went',
  // A note reports the difference.
  'told by a diff',
  'told by line numbers',
  'told to read again',
  // The file differs, and no note reports how.
  'silent',
  // A call is shown with another old text, with words that were not sent, or without some that no note reports.
  'wrong',
  // A note is untrue: nothing differs, a shell made the change, or a line was not dropped.
  'wrong cause',
  // A line is reported to break a rule although no call wrote it.
  'marks another',
  // A call of the message failed.
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

/** The verdicts on a message after which the model's view of a file is untrue. */
export const UNTRUE: ReadonlyArray<Verdict> = VERDICTS.slice(VERDICTS.indexOf('silent'))

type FileJudgement = {
  verdict: Verdict
  reason: string
  /** What the model believes from its calls, without the notes. Null if a call or a read does not fit. */
  believed: string | null
  /** What the file contains. */
  text: string
  /** What the model is taken to believe before its next message. */
  nextBelief: string
}

/** The judgement of the worst file, and the calls of the message. */
export type Judgement = FileJudgement & { sent: Array<PlayedCall>; shown: Array<ShownCall> }

/** The pattern that the rule of each project forbids: signs that formatters insert, too. */
export const SIGNS = String.raw`;$|"|,$|^\t`

/** Words of the line that a shell command adds to a file. */
export const SHELL_WORDS = 'by a shell'

const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []

/** Returns the words that a call writes, in lower case, except those that a formatter may insert or remove. */
const wordsWritten = ({ content, newString, patchText }: Record<string, unknown>): Array<string> =>
  wordsIn(String(content ?? newString ?? patchText).toLowerCase())
    .filter((word) => !['var', 'let', 'const', 'else', 'export'].includes(word))

/** Returns what is wrong with the shown arguments of a call, or an empty text. The answer must report lost words. */
const errorInCorrection = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [sentWords, shownWords] = [wordsWritten(sent.args), wordsWritten(args)]
  const reported = output.toLowerCase()
  const added = shownWords.filter((word) => !sentWords.includes(word))
  const lost = sentWords.filter((word) => !shownWords.includes(word) && !reported.includes(word))
  if (added.length > 0) return `added: ${added}`
  return lost.length > 0 ? `lost: ${lost}` : ''
}

/** Returns what a note says that is not true, or an empty text. */
const errorInNote = (note: string, believed: string, text: string): string => {
  const reportsShellLine = note.includes(SHELL_WORDS) && !believed.includes(SHELL_WORDS)
  if (note.includes('was formatted') && reportsShellLine) return note
  const [, dropped = ''] = note.split('which dropped words from:\n')
  const allWords = ` ${wordsIn(text).join(' ')} `
  // A line that the file still has once. If the file has it more often, other copies may have been dropped.
  const keptLine = dropped.split('\n').find((line) => {
    const words = wordsIn(line)
    return words.length > 2 && allWords.split(` ${words.join(' ')} `).length === 2
  })
  return keptLine === undefined ? '' : `not dropped: ${keptLine}`
}

/**
 * Returns what formatters and linters keep of a line: its words. They change signs, quotes and braces, and insert
 * `const`. Of a line without words, returns the signs.
 */
const comparableLine = (line: string): string =>
  wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || bareTextOf(line).text

/**
 * Finds the lines that break the rule and that `text` has more often than `before`. Returns each in two forms, once by
 * its words and once with its signs, because a formatter may split the line into words and signs.
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

/** Returns a line that an answer reports to break the rule although no call wrote it, or an empty text. */
export const unjustifiedReport = (
  believed: Map<PlayedFile, string>,
  sent: Array<PlayedCall>,
  shown: Array<ShownCall>,
): string => {
  const written: Array<string> = []
  for (const [file, before] of believed) {
    const text = believedAfter(file, before, sent)
    // If a call does not fit, it is not known what it wrote.
    if (text === null) return ''
    written.push(...breakingLines(before, text))
  }
  const reports = shown.flatMap(({ output }) => output.split('\n\n'))
    .filter((block) => block.includes('breaks rules'))
  // A reported line is for example `  12: let a = 1;`. A long one ends with `…`.
  const reportedLines = reports.flatMap((report) =>
    [...report.matchAll(/^ {2}\d+: (.*)$/gm)].map(([, line]) => line!)
  )
  return reportedLines.find((reported) => {
    const comparable = comparableLine(reported.replace(/…$/, ''))
    return !written.some((line) => line.includes(comparable) || comparable.includes(line))
  }) ?? ''
}

/** Whether a call failed. The command of a shell only adds a line, which cannot fail. */
const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** Returns what the model believes after a read; null if the lines of a read part differ from those of the file. */
const afterRead = (
  file: PlayedFile,
  believed: string,
  { args: { offset }, output }: PlayedCall & { output: string },
): string | null => {
  const text = crlfToLf(file.read())
  const lines = linesRead(output)
  if (offset === undefined || (offset === 1 && output.includes('\n(End of file'))) {
    // A read does not show whether the last line has an end.
    return lines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  }
  // A read of a part of a file is the last call of its message, so it shows the present file.
  const current = text.split('\n').slice(Number(offset) - 1)
  return lines.every((line, index) => line === current[index]) ? believed : null
}

const withLf = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? crlfToLf(value) : value]),
  )

/**
 * Returns what the model believes that a file contains after calls; null if a call or a read does not fit. The calls
 * are as sent, without an `output`, or as shown.
 */
const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    const { filePath } = args
    // A patch has no `filePath`: `applyCall` selects its sections by their names.
    const isOnOtherFile = typeof filePath === 'string' && !file.paths.includes(filePath)
    // A read that was only sent shows nothing, and a read of long lines shows only their beginnings.
    const showsNothing = (tool === 'read' && output === '') || output.includes('line truncated to')
    if (isOnOtherFile || tool === 'bash' || showsNothing) continue
    believed = tool === 'read'
      ? afterRead(file, believed, { tool, args, output })
      : applyCall(believed, withLf(args), file.names)
    if (believed === null) return null
  }
  return believed
}

/** Finds the first note on a file in the answers to calls; returns the note, its answer and the file's name in it. */
const firstNoteOn = (file: PlayedFile, shown: Array<ShownCall>) => {
  const notes = shown.flatMap(({ output }) =>
    file.names.map((name) => ({ name, output, note: noteIn(output, name) }))
  )
  return notes.find(({ note }) => note !== '') ?? { name: '', output: '', note: '' }
}

/** Whether a note reports more than blank lines, which an earlier message may have removed. */
const reportsMoreThanBlanks = (note: string): boolean => {
  const [, difference = ''] = note.split('differs from what you saw')
  return /^[+-].*\S/m.test(difference) || difference.includes(': lines')
}

const withLastLineFeed = (text: string): string => text.replace(/[^\n]$/, '$&\n')

/** Judges one file by what the model believed before its message, and by the calls of the message. */
export const judgeFile = (
  file: PlayedFile,
  before: string,
  sent: Array<PlayedCall>,
  shown: Array<ShownCall>,
): FileJudgement => {
  const text = crlfToLf(file.read())
  const believed = believedAfter(file, before, shown)
  const judged = (verdict: Verdict, reason = '', nextBelief = text) => ({
    verdict,
    reason,
    believed,
    text,
    nextBelief,
  })

  const failed = shown.find(isFailure)
  if (failed) return judged('fails', failed.output)
  const correctionErrors = shown.map((call, at) => errorInCorrection(sent[at]!, call))
  const correctionError = correctionErrors.find((error) => error !== '')
  if (correctionError !== undefined) return judged('wrong', correctionError)
  const { name, output, note } = firstNoteOn(file, shown)
  const noteError = errorInNote(note, believed ?? '', text)
  if (noteError !== '') return judged('wrong cause', noteError)

  // A line feed that a formatter added at the end counts as no difference.
  if (believed !== null && (believed === text || withLastLineFeed(believed) === text)) {
    if (reportsMoreThanBlanks(note)) return judged('wrong cause', `nothing differs: ${output}`)
    const isCorrected = sent.some(({ args }, at) => !Bun.deepEquals(args, shown[at]!.args))
    return judged(isCorrected ? 'corrected' : 'true as sent')
  }
  const reported = reportedBy(output, name, believed ?? '', text)
  const believedAfterNote = afterNote(output, name, believed ?? '')
  if (reported === 'told by a diff') return judged(reported, '', believedAfterNote!)
  if (reported !== null) return judged(reported)
  const differsInBlanks = believed !== null && withoutBlank(believed) === withoutBlank(text)
  if (differsInBlanks && believedAfterNote === believed) return judged('blank lines went', '', believed)
  return judged(
    'silent',
    believed === null ? 'a call does not apply, or a read shows other lines' : 'no note',
  )
}
