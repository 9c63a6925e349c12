/**
 * Checks SAT's reports of lines that break a rule, in the answers to the calls of a played message. SAT may report only
 * lines that one of these calls wrote; a formatter may have changed the lines since.
 */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { type Beliefs, believedAfter, type PlayedMessage } from './belief.ts'

/** The pattern that the rule of each played project forbids. It matches characters that formatters insert, too. */
export const FORBIDDEN = String.raw`;$|"|,$|^\t`

/** Returns a reported line that no call wrote; '' if there is none. `beliefs` are those before the message. */
export const unjustifiedReport = (beliefs: Beliefs, { sent, shown }: PlayedMessage): string => {
  const written: Array<string> = []
  for (const [file, before] of beliefs) {
    const after = believedAfter(file, before, sent)
    // If a call does not apply, it is not known what it wrote.
    if (after === null) return ''
    written.push(...newForbiddenLines(before, after))
  }
  // A formatter may put the signs of a line on a line of their own, so a report may show only words or only signs.
  const writtenForms = written.flatMap((line) => [wordsOrSigns(line), wordsAndSigns(line)])
  const isJustified = (line: string) => {
    const reported = wordsOrSigns(line)
    // A formatter may have split the written line, or joined it with others.
    return writtenForms.some((form) => form.includes(reported) || reported.includes(form))
  }
  return shown.flatMap(({ output }) => linesReported(output)).find((line) => !isJustified(line)) ?? ''
}

/** Returns the lines that an answer reports: `  12: let a = 1;` → `let a = 1;`. A long line loses its final `…`. */
const linesReported = (output: string): Array<string> =>
  output.split('\n\n').filter((paragraph) => paragraph.includes('breaks rules'))
    .flatMap((report) => [...report.matchAll(/^ {2}\d+: (.*)$/gm)])
    .map(([, line]) => line!.replace(/…$/, ''))

/** Returns the forbidden lines of `after` that `before` lacks; of equal lines, those that `after` has more often. */
const newForbiddenLines = (before: string, after: string): Array<string> => {
  const oldLines = before.split('\n')
  const isNew = (line: string) => {
    const at = oldLines.indexOf(line)
    if (at >= 0) oldLines.splice(at, 1)
    return at < 0
  }
  return after.split('\n').filter((line) => isNew(line) && new RegExp(FORBIDDEN).test(line))
}

/** Returns a line without the characters that formatters insert and remove: `let a = "b";` → `leta="b"`. */
const wordsAndSigns = (line: string): string => bareTextOf(line).text

/** Returns a line's words without those that linters change: `let a = "b";` → `a b`; without words, its signs. */
const wordsOrSigns = (line: string): string =>
  wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || wordsAndSigns(line)

export const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []
