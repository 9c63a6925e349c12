/** Checks SAT's reports of lines that break a rule: each reported line must come from a line that a call wrote. */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { type Beliefs, believedAfter, type PlayedMessage } from './belief.ts'

/** What the rule of each project forbids: characters that formatters also insert. */
export const FORBIDDEN = String.raw`;$|"|,$|^\t`

/** Returns a reported line that no call wrote, or ''. `beliefs` are those before the message. */
export const unjustifiedReport = (beliefs: Beliefs, { sent, shown }: PlayedMessage): string => {
  const written: Array<string> = []
  for (const [file, before] of beliefs) {
    const after = believedAfter(file, before, sent)
    // If a call does not apply, nobody knows what it wrote.
    if (after === null) return ''
    written.push(...newForbiddenLines(before, after))
  }
  // Each written line has two forms: its words, and its bare text (see `bareTextOf`). The second form is for a reported
  // line without words, such as a `}` that a formatter moved to a line of its own.
  const writtenForms = written.flatMap((line) => [wordsOrSigns(line), bareTextOf(line).text])
  const isJustified = (line: string) => {
    const reported = wordsOrSigns(line)
    // A formatter may have split the written line, or joined it with others.
    return writtenForms.some((form) => form.includes(reported) || reported.includes(form))
  }
  return shown.flatMap(({ output }) => linesReported(output)).find((line) => !isJustified(line)) ?? ''
}

/** Returns the lines in the reports of an output, without the `…` at the end of a cut one: `  12: let a` → `let a`. */
const linesReported = (output: string): Array<string> =>
  output.split('\n\n').filter((paragraph) => paragraph.includes('breaks rules'))
    .flatMap((report) => [...report.matchAll(/^ {2}\d+: (.*)$/gm)])
    .map(([, line]) => line!.replace(/…$/, ''))

/** Returns the forbidden lines that a change added; of equal lines, only as many as were added. */
const newForbiddenLines = (before: string, after: string): Array<string> => {
  const oldLines = before.split('\n')
  const isNew = (line: string) => {
    const at = oldLines.indexOf(line)
    if (at >= 0) oldLines.splice(at, 1)
    return at < 0
  }
  return after.split('\n').filter((line) => isNew(line) && new RegExp(FORBIDDEN).test(line))
}

/** Returns a line's words or, without words, its signs. Linters may change `let` and the like: `let a = "b";` → `a b` */
const wordsOrSigns = (line: string): string =>
  wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || bareTextOf(line).text

export const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []
