/** Checks SAT's reports of lines that break a rule: SAT must report only lines that a call of the model wrote. */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { type Beliefs, believedAfter, type PlayedMessage } from './belief.ts'

/** The pattern that the rule of each project forbids: signs that formatters insert, too. */
export const SIGNS = String.raw`;$|"|,$|^\t`

/** Returns a reported line that no call wrote, or an empty text. `beliefs` are those before the message. */
export const unjustifiedReport = (beliefs: Beliefs, { sent, shown }: PlayedMessage): string => {
  const written: Array<string> = []
  for (const [file, before] of beliefs) {
    const text = believedAfter(file, before, sent)
    // If a call does not apply, it is not known what it wrote.
    if (text === null) return ''
    written.push(...breakingLines(before, text).flatMap(formsOf))
  }
  const isJustified = (reported: string) => {
    const words = wordsOrSigns(reported.replace(/…$/, ''))
    // A formatter may have split or joined the written line.
    return written.some((form) => form.includes(words) || words.includes(form))
  }
  return shown.flatMap(({ output }) => linesReported(output)).find((line) => !isJustified(line)) ?? ''
}

/** Returns the lines that an answer reports: `  12: let a = 1;` → `let a = 1;`. A long one ends with `…`. */
const linesReported = (output: string): Array<string> =>
  output.split('\n\n').filter((paragraph) => paragraph.includes('breaks rules'))
    .flatMap((report) => [...report.matchAll(/^ {2}\d+: (.*)$/gm)])
    .map(([, line]) => line!)

/** Returns the new lines that break the rule. A line is new if `text` has it more often than `before`. */
const breakingLines = (before: string, text: string): Array<string> => {
  const oldLines = before.split('\n')
  const isNew = (line: string) => {
    const at = oldLines.indexOf(line)
    if (at >= 0) oldLines.splice(at, 1)
    return at < 0
  }
  return text.split('\n').filter((line) => isNew(line) && new RegExp(SIGNS).test(line))
}

/** Returns the words of a line without and with signs: a formatter may put the signs on a line of their own. */
const formsOf = (line: string): Array<string> => [wordsOrSigns(line), bareTextOf(line).text]

/** Returns a line's words without those that linters change: `let a = "b";` → `a b`. Without words, its signs. */
const wordsOrSigns = (line: string): string =>
  wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || bareTextOf(line).text

export const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []
