/**
 * Judges whether the fuzzer's model has a true view of its files after a message, although formatters change them.
 * The view follows from the next request, which shows the calls as SAT corrected them, with SAT's notes.
 */
import type { ShownCall } from '../../harness/model.ts'
import * as belief from './belief.ts'
import type { Beliefs, PlayedCall, PlayedFile, PlayedMessage } from './belief.ts'
import { unjustifiedReport, wordsIn } from './rule-reports.ts'

/** How true the model's view of the files is after a message, from best to worst. */
export const VERDICTS = [
  // The calls produce the file as it is, and the next request shows them as the model sent them.
  'true as sent',
  // The calls produce the file as the next request shows them, corrected.
  'corrected',
  // The file differs in blank lines only, which notes omit.
  'blank lines went',
  // A note reports the difference.
  'told by a diff',
  'told by line numbers',
  'told to read again',
  // The file differs, and no note reports how.
  'silent',
  // A call is shown with another old text, with words that were not sent, or without words that were sent and that its
  // answer lacks.
  'wrong',
  // A note is untrue: it reports a difference where there is none, calls a shell's change formatting, or says that a
  // line was dropped that is still there.
  'wrong cause',
  // A line is reported to break a rule although no call wrote it.
  'reports another line',
  // A call of the message failed.
  'fails',
] as const

export type Verdict = typeof VERDICTS[number]

/** The verdicts on a message after which the model's view of a file is untrue. */
export const UNTRUE: ReadonlyArray<Verdict> = VERDICTS.slice(VERDICTS.indexOf('silent'))

/** What is found about a file. Without `nextBelief`, the model is taken to know the file's whole text from now on. */
type Found = { verdict: Verdict; reason?: string; nextBelief?: string }

/** The judgement of a message on one file; that of the whole message is the worst one. */
export type Judgement = PlayedMessage & {
  verdict: Verdict
  /** What is wrong, if the view is untrue. */
  reason: string
  /** What the model believes from its calls, without the notes. Null if a call or a read does not fit. */
  believed: string | null
  /** What the file contains. */
  text: string
  /** What the model is taken to believe before its next message. */
  nextBelief: string
}

/** Words of the line that a shell command adds to a file. */
export const SHELL_WORDS = 'by a shell'

/** Judges a message. `beliefs` are those before the message; the judgement updates them. */
export const judgeMessage = (beliefs: Beliefs, message: PlayedMessage): Judgement => {
  const wronglyReported = unjustifiedReport(beliefs, message)
  const judgements = [...beliefs].map(([file, before]) => {
    const judged = judgeFile(file, before, message)
    beliefs.set(file, judged.nextBelief)
    return { ...judged, reason: `${file.names[0]}: ${judged.reason}` }
  })
  if (wronglyReported !== '') {
    // Any file's judgement may carry this verdict: the worst one counts for the message.
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

/** A note on a file, the answer that contains the note, and the file's name there. All are empty without a note. */
type NamedNote = { note: string; output: string; name: string }

/** Finds the first note on a file in the answers of a message. */
const firstNoteOn = ({ names }: PlayedFile, { shown }: PlayedMessage): NamedNote =>
  shown.flatMap(({ output }) => names.map((name) => ({ name, output, note: belief.noteIn(output, name) })))
    .find(({ note }) => note !== '') ?? { name: '', output: '', note: '' }

/** Whether the model believes what the file contains, except for a line feed that a formatter added at the end. */
const isSame = (believed: string, text: string): boolean =>
  believed === text || believed.replace(/[^\n]$/, '$&\n') === text

/** Judges a file that the model believes to be as it is: a note on it may report at most removed blank lines. */
const judgeSame = ({ sent, shown }: PlayedMessage, { note, output }: NamedNote): Found => {
  if (reportsMoreThanBlanks(note)) return { verdict: 'wrong cause', reason: `nothing differs: ${output}` }
  const isAsSent = sent.every(({ args }, at) => Bun.deepEquals(args, shown[at]!.args))
  return { verdict: isAsSent ? 'true as sent' : 'corrected' }
}

/** Judges a file that differs from what the calls make the model believe: a note on the file must say so. */
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

/** Finds a call that failed, or that the next request shows wrongly corrected; returns null if there is none. */
const errorInCalls = ({ sent, shown }: PlayedMessage): Found | null => {
  const failed = shown.find(isFailure)
  if (failed) return { verdict: 'fails', reason: failed.output }
  const errors = shown.map((call, at) => errorInCorrection(sent[at]!, call))
  const reason = errors.find((error) => error !== '')
  return reason === undefined ? null : { verdict: 'wrong', reason }
}

/** Whether a call failed. A shell command only adds a line to a file, which cannot fail. */
const isFailure = ({ tool, output }: ShownCall): boolean =>
  tool !== 'bash' && !/^(Edit applied|Wrote file|Success|<path>)/.test(output)

/** Returns what is wrong with a call's shown arguments, or ''. They may lack a word only if the answer has it. */
const errorInCorrection = (sent: PlayedCall, { args, output }: ShownCall): string => {
  if (args['oldString'] !== sent.args['oldString']) return 'another oldString'
  const [sentWords, shownWords] = [wordsWritten(sent.args), wordsWritten(args)]
  const answer = output.toLowerCase()
  const added = shownWords.filter((word) => !sentWords.includes(word))
  const lost = sentWords.filter((word) => !shownWords.includes(word) && !answer.includes(word))
  if (added.length > 0) return `added: ${added}`
  return lost.length > 0 ? `lost: ${lost}` : ''
}

/** Returns the words that a call writes, in lower case, except those that a formatter may insert or remove. */
const wordsWritten = ({ content, newString, patchText }: Record<string, unknown>): Array<string> =>
  wordsIn(String(content ?? newString ?? patchText).toLowerCase())
    .filter((word) => !['var', 'let', 'const', 'else', 'export'].includes(word))

/** Finds what a note says wrongly: that a formatter added a shell's line, or dropped a line that is still there. */
const errorInNote = (note: string, believed: string, text: string): Found | null => {
  const isShellLineNew = note.includes(SHELL_WORDS) && !believed.includes(SHELL_WORDS)
  if (note.includes('was formatted') && isShellLineNew) return { verdict: 'wrong cause', reason: note }
  const [, dropped = ''] = note.split('which dropped words from:\n')
  const allWords = ` ${wordsIn(text).join(' ')} `
  // Only a line that occurs exactly once counts as kept: if it occurs more often, another copy may have been dropped.
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
