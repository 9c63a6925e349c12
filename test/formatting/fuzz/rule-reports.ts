/**
 * Checks the reports on lines that break a rule, which SAT adds to the answers of calls: a report is only right on a
 * line that a call wrote, in the form in which the formatter left it.
 */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { believedAfter, type PlayedFile, type PlayedMessage } from './played-file.ts'

/** The pattern that the rule of each project forbids: signs that formatters insert, too. */
export const SIGNS = String.raw`;$|"|,$|^\t`

/**
 * Finds a reported line that no call wrote. Returns an empty text if there is none, or if a call does not apply.
 * `beliefs` is what the model believed before the message that each file contains.
 */
export const unjustifiedReport = (
  beliefs: Map<PlayedFile, string>,
  { sent, shown }: PlayedMessage,
): string => {
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

/** Returns the lines that break the rule and that `text` has more often than `before`. */
const breakingLines = (before: string, text: string): Array<string> => {
  const oldLines = before.split('\n')
  const isNew = (line: string) => {
    const at = oldLines.indexOf(line)
    if (at >= 0) oldLines.splice(at, 1)
    return at < 0
  }
  return text.split('\n').filter((line) => isNew(line) && new RegExp(SIGNS).test(line))
}

/**
 * Returns two forms of a written line, of which a reported line has one: its words and, because a formatter may put its
 * signs in a line of their own, its words with the signs.
 */
const formsOf = (line: string): Array<string> => [wordsOrSigns(line), bareTextOf(line).text]

/**
 * Returns what formatters and linters keep of a line, its words: `let a = "b";` → `a b`. They change signs, and insert
 * `const`. Of a line without words, returns the signs that they keep: `});` → `}`.
 */
const wordsOrSigns = (line: string): string =>
  wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || bareTextOf(line).text

export const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []
