/**
 * Judges whether the fuzzer's model has a true view of its files after a message: the view follows from the next
 * request, which shows the calls as SAT corrected them, with SAT's notes.
 */
import type { ShownCall } from '../../harness/model.ts'
import * as belief from './belief.ts'
import type { Beliefs, PlayedCall, PlayedFile, PlayedMessage } from './belief.ts'
import { unjustifiedReport, wordsIn } from './rule-reports.ts'

/** From best to worst. */
export const VERDICTS = [
  'true as sent',
  'corrected',
  // Notes omit blank lines that went.
  'blank lines went',
  'told by a diff',
  'told by line numbers',
  'told to read again',
  // The file differs, and no note reports how.
  'silent',
  // A call is wrongly corrected.
  'wrong',
  // A note is untrue.
  'wrong cause',
  // A line is reported to break a rule although no call wrote it.
  'reports another line',
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

export const UNTRUE: ReadonlyArray<Verdict> = VERDICTS.slice(VERDICTS.indexOf('silent'))

/** Without `nextBelief`, the model is taken to know the file's whole text from now on. */
type Found = { verdict: Verdict; reason?: string; nextBelief?: string }

/** The judgement of a message is the worst of those on its files. */
export type Judgement = PlayedMessage & {
  verdict: Verdict
  reason: string
  /** What the model believes without the notes; null if a call or a read does not fit. */
  believed: string | null
  text: string
  nextBelief: string
}

export const SHELL_WORDS = 'by a shell'

/** Judges a message, and updates the beliefs of the model. */
export const judgeMessage = (beliefs: Beliefs, message: PlayedMessage): Judgement => {
  const wronglyReported = unjustifiedReport(beliefs, message)
  const judgements = [...beliefs].map(([file, before]) => {
    const judged = judgeFile(file, before, message)
    beliefs.set(file, judged.nextBelief)
    return { ...judged, reason: `${file.names[0]}: ${judged.reason}` }
  })
  if (wronglyReported !== '') {
    // Any file may carry this verdict: the worst one counts.
    judgements[0] = { ...judgements[0]!, verdict: 'reports another line', reason: wronglyReported }
  }
  const worstFirst = judgements.toSorted((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict))
  return worstFirst[0]!
}

const judgeFile = (file: PlayedFile, before: string, message: PlayedMessage): Judgement => {
  const text = belief.readLf(file)
  const believed = belief.believedAfter(file, before, message.shown)
  const namedNote = firstNoteOn(file, message)
  const isTrue = believed !== null && isSame(believed, text)
  const found = errorInCalls(message)
    ?? errorInNote(namedNote.note, believed ?? '', text)
    ?? (isTrue ? judgeSame(message, namedNote) : judgeDifference(believed, text, namedNote))
  return { reason: '', believed, text, nextBelief: text, ...found, ...message }
}

/** A note, its answer, and the file's name there; all are empty without a note. */
type NamedNote = { note: string; output: string; name: string }

const firstNoteOn = ({ names }: PlayedFile, { shown }: PlayedMessage): NamedNote =>
  shown.flatMap(({ output }) => names.map((name) => ({ name, output, note: belief.noteIn(output, name) })))
    .find(({ note }) => note !== '') ?? { name: '', output: '', note: '' }

/** A formatter may have added a line feed at the end. */
const isSame = (believed: string, text: string): boolean =>
  believed === text || believed.replace(/[^\n]$/, '$&\n') === text

const judgeSame = ({ sent, shown }: PlayedMessage, { note, output }: NamedNote): Found => {
  if (reportsMoreThanBlanks(note)) return { verdict: 'wrong cause', reason: `nothing differs: ${output}` }
  const isAsSent = sent.every(({ args }, at) => Bun.deepEquals(args, shown[at]!.args))
  return { verdict: isAsSent ? 'true as sent' : 'corrected' }
}

const judgeDifference = (believed: string | null, text: string, { name, output }: NamedNote): Found => {
  const reported = belief.howReported(output, name, believed ?? '', text)
  const believedAfterNote = belief.afterNote(output, name, believed ?? '')
  if (reported === 'told by a diff') return { verdict: reported, nextBelief: believedAfterNote! }
  if (reported !== null) return { verdict: reported }
  if (believed === null) {
    return { verdict: 'silent', reason: 'a call does not apply, or a read shows other lines' }
  }
  const differsOnlyInBlanks = belief.withoutBlank(believed) === belief.withoutBlank(text)
  const hasNoDiff = believedAfterNote === believed
  return differsOnlyInBlanks && hasNoDiff
    ? { verdict: 'blank lines went', nextBelief: believed }
    : { verdict: 'silent', reason: 'no note, or a wrong one' }
}

const errorInCalls = ({ sent, shown }: PlayedMessage): Found | null => {
  const failed = shown.find(isFailure)
  if (failed) return { verdict: 'fails', reason: failed.output }
  const errors = shown.map((call, at) => errorInCorrection(sent[at]!, call))
  const reason = errors.find((error) => error !== '')
  return reason === undefined ? null : { verdict: 'wrong', reason }
}

const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** The shown arguments may lack a word only if the answer has it. */
const errorInCorrection = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [sentWords, shownWords] = [wordsWritten(sent.args), wordsWritten(args)]
  const answer = output.toLowerCase()
  const added = shownWords.filter((word) => !sentWords.includes(word))
  const lost = sentWords.filter((word) => !shownWords.includes(word) && !answer.includes(word))
  if (added.length > 0) return `added: ${added}`
  return lost.length > 0 ? `lost: ${lost}` : ''
}

/** Leaves out words that a formatter may insert or remove. */
const wordsWritten = ({ content, newString, patchText }: Record<string, unknown>): Array<string> =>
  wordsIn(String(content ?? newString ?? patchText).toLowerCase())
    .filter((word) => !['var', 'let', 'const', 'else', 'export'].includes(word))

/** A note must not say that a formatter added a shell's line, or dropped a line that is still there. */
const errorInNote = (note: string, believed: string, text: string): Found | null => {
  const isShellLineNew = note.includes(SHELL_WORDS) && !believed.includes(SHELL_WORDS)
  if (note.includes('was formatted') && isShellLineNew) return { verdict: 'wrong cause', reason: note }
  const [, dropped = ''] = note.split('which dropped words from:\n')
  const allWords = ` ${wordsIn(text).join(' ')} `
  // If a line occurs more than once, another copy may have been dropped.
  const keptLine = dropped.split('\n').find((line) => {
    const words = wordsIn(line)
    return words.length > 2 && allWords.split(` ${words.join(' ')} `).length === 2
  })
  return keptLine === undefined ? null : { verdict: 'wrong cause', reason: `not dropped: ${keptLine}` }
}

/** Whether a note reports more than removed blank lines, which an earlier message may have left unreported. */
const reportsMoreThanBlanks = (note: string): boolean => {
  const [, difference = ''] = note.split('differs from what you saw')
  return /^[+-].*\S/m.test(difference) || difference.includes(': lines')
}
