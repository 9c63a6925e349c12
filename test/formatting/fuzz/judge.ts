/**
 * Judges whether the fuzzer's model knows the text of each file after a message.
 * If a file differs from the text that the calls in the history produce, a note of SAT must report the difference, or
 * tell the model to read the file again. A note need not report removed blank lines.
 */
import type { ShownCall } from '../../harness/model.ts'
import { believedAfter, readLf } from './belief.ts'
import type { Beliefs, PlayedCall, PlayedFile, PlayedMessage } from './belief.ts'
import { afterNote, howReported, noteIn, withoutBlank } from './notes.ts'
import { unjustifiedReport, wordsIn } from './rule-reports.ts'

/** From best to worst. */
export const VERDICTS = [
  'true as sent',
  'corrected',
  'blank lines went',
  'told by a diff',
  'told by line numbers',
  'told to read again',
  'silent', // No note reports the difference.
  'wrong', // A correction is wrong.
  'wrong cause', // A note is untrue.
  'reports another line', // No call wrote the reported line.
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

export const FAULTS: ReadonlyArray<Verdict> = VERDICTS.slice(VERDICTS.indexOf('silent'))

/** Without `nextBelief`, the model believes the file's text from now on. */
type Finding = { verdict: Verdict; reason?: string; nextBelief?: string }

export type Judgement = PlayedMessage & Required<Finding> & {
  /** Null if a call does not apply, or if a partial read differs from the file. */
  believed: string | null
  text: string
}

/** Each line that a shell adds to a file contains these words. */
export const SHELL_WORDS = 'by a shell'

/** Returns the worst judgement of the files, and updates `beliefs`. */
export const judgeMessage = (beliefs: Beliefs, message: PlayedMessage): Judgement => {
  const reason = unjustifiedReport(beliefs, message)
  const judgements = [...beliefs].map(([file, before]) => {
    const judged = judgeFile(file, before, message)
    beliefs.set(file, judged.nextBelief)
    return { ...judged, reason: `${file.names[0]}: ${judged.reason}` }
  })
  // An unjustified report belongs to no file, so the fields of the first file stand in.
  if (reason !== '') judgements.push({ ...judgements[0]!, verdict: 'reports another line', reason })
  return judgements.toSorted((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict))[0]!
}

const judgeFile = (file: PlayedFile, before: string, message: PlayedMessage): Judgement => {
  const text = readLf(file)
  const believed = believedAfter(file, before, message.shown)
  const namedNote = firstNoteOn(file, message)
  const isBeliefTrue = believed !== null && isSameText(believed, text)
  const finding = errorInCalls(message)
    ?? errorInNote(namedNote.note, believed ?? '', text)
    ?? (isBeliefTrue ? judgeTrueBelief(message, namedNote) : judgeUntrueBelief(believed, text, namedNote))
  return { ...message, believed, text, reason: '', nextBelief: text, ...finding }
}

type NamedNote = { note: string; output: string; name: string }

const firstNoteOn = ({ names }: PlayedFile, { shown }: PlayedMessage): NamedNote =>
  shown.flatMap(({ output }) => names.map((name) => ({ name, output, note: noteIn(output, name) })))
    .find(({ note }) => note !== '') ?? { name: '', output: '', note: '' }

// A formatter may have added a line feed at the end.
const isSameText = (believed: string, text: string): boolean =>
  believed === text || believed.replace(/[^\n]$/, '$&\n') === text

const judgeTrueBelief = ({ sent, shown }: PlayedMessage, { note, output }: NamedNote): Finding => {
  if (reportsMoreThanBlanks(note)) return { verdict: 'wrong cause', reason: `nothing differs: ${output}` }
  const isAsSent = sent.every(({ args }, at) => Bun.deepEquals(args, shown[at]!.args))
  return { verdict: isAsSent ? 'true as sent' : 'corrected' }
}

const judgeUntrueBelief = (believed: string | null, text: string, { name, output }: NamedNote): Finding => {
  const reported = howReported(output, name, believed ?? '', text)
  const withDiff = afterNote(output, name, believed ?? '')
  // A diff may omit removed blank lines, which the model then still believes to be there.
  if (reported === 'told by a diff') return { verdict: reported, nextBelief: withDiff! }
  if (reported !== null) return { verdict: reported }
  if (believed === null) return { verdict: 'silent', reason: 'a call does not apply, or a read differs' }
  const hasNoDiff = withDiff === believed
  const onlyBlankLinesDiffer = withoutBlank(believed) === withoutBlank(text)
  if (hasNoDiff && onlyBlankLinesDiffer) return { verdict: 'blank lines went', nextBelief: believed }
  return { verdict: 'silent', reason: 'no note, or a wrong one' }
}

const errorInCalls = ({ sent, shown }: PlayedMessage): Finding | null => {
  const failed = shown.find(isFailure)
  if (failed) return { verdict: 'fails', reason: failed.output }
  const reason = shown.map((call, at) => errorInCorrection(sent[at]!, call)).find((error) => error !== '')
  return reason === undefined ? null : { verdict: 'wrong', reason }
}

const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** A correction may drop a word only if the output contains the word. */
const errorInCorrection = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [sentWords, shownWords] = [wordsWritten(sent.args), wordsWritten(args)]
  const lowerOutput = output.toLowerCase()
  const added = shownWords.filter((word) => !sentWords.includes(word))
  const lost = sentWords.filter((word) => !shownWords.includes(word) && !lowerOutput.includes(word))
  if (added.length > 0) return `added: ${added}`
  return lost.length > 0 ? `lost: ${lost}` : ''
}

// A linter may insert or remove these keywords.
const wordsWritten = ({ content, newString, patchText }: Record<string, unknown>): Array<string> =>
  wordsIn(String(content ?? newString ?? patchText).toLowerCase())
    .filter((word) => !['var', 'let', 'const', 'else', 'export'].includes(word))

const errorInNote = (note: string, believed: string, text: string): Finding | null => {
  const isShellLineNew = note.includes(SHELL_WORDS) && !believed.includes(SHELL_WORDS)
  if (note.includes('was formatted') && isShellLineNew) return { verdict: 'wrong cause', reason: note }
  const keptLine = linesDropped(note).find((line) => isSurelyIn(text, line))
  return keptLine === undefined ? null : { verdict: 'wrong cause', reason: `not dropped: ${keptLine}` }
}

const linesDropped = (note: string): Array<string> =>
  note.split('which dropped words from these lines:\n')[1]?.split('\n') ?? []

// Of several copies of a line, one may have been dropped.
const isSurelyIn = (text: string, line: string): boolean => {
  const words = wordsIn(line)
  return words.length > 2 && ` ${wordsIn(text).join(' ')} `.split(` ${words.join(' ')} `).length === 2
}

// A note on blank lines alone is no fault, because they may have changed after an earlier message.
const reportsMoreThanBlanks = (note: string): boolean => {
  const [, difference = ''] = note.split('differs from what you saw')
  const diffHasWords = /^[+-].*\S/m.test(difference)
  const hasLineNumbers = difference.includes(': lines') // `: lines 2-5, 9 changed`
  return diffHasWords || hasLineNumbers
}
