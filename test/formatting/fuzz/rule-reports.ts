/** Checks SAT's reports of lines that break a rule: each reported line must come from a line that a call wrote. */
import { bareTextOf } from '../../../src/steps/realign/bare-text.ts'
import { type Beliefs, believedAfter, type PlayedMessage } from './belief.ts'

/** The forbidden pattern. SAT must not report a match that only a formatter inserted, such as `;` at the end. */
export const FORBIDDEN = String.raw`;$|"|,$|^\t`

/** Returns a line that SAT reports although no call wrote it, or ''. */
export const unjustifiedReport = (beliefs: Beliefs, { sent, shown }: PlayedMessage): string => {
  const written: Array<string> = []
  for (const [file, before] of beliefs) {
    const after = believedAfter(file, before, sent)
    // If a call does not fit the believed text, the written lines are not known.
    if (after === null) return ''
    written.push(...newForbiddenLines(before, after))
  }
  const writtenForms = written.flatMap(formsOf)
  const isJustified = (line: string) => {
    const [reported] = formsOf(line)
    // A formatter may have split the written line (`a; b` → `a;`), or joined lines (`a;` → `a; b`).
    return writtenForms.some((form) => form.includes(reported) || reported.includes(form))
  }
  return shown.flatMap(({ output }) => linesReported(output)).find((line) => !isJustified(line)) ?? ''
}

/** For `let a = {b};`, returns the words that linters keep (`a b`), and the text that formatters keep (`leta={b}`). */
const formsOf = (line: string): [wordsOrSigns: string, bareText: string] => {
  const { text } = bareTextOf(line)
  return [wordsIn(line.replace(/\b(?:var|let|const)\b/g, '')).join(' ') || text, text]
}

// `  12: let a…` → `let a`
const linesReported = (output: string): Array<string> =>
  output.split('\n\n').filter((paragraph) => paragraph.includes('breaks rules'))
    .flatMap((report) => [...report.matchAll(/^ {2}\d+: (.*)$/gm)])
    .map(([, line]) => line!.replace(/…$/, ''))

const newForbiddenLines = (before: string, after: string): Array<string> => {
  const oldLines = before.split('\n')
  const isNew = (line: string) => {
    const at = oldLines.indexOf(line)
    if (at >= 0) oldLines.splice(at, 1)
    return at < 0
  }
  return after.split('\n').filter((line) => isNew(line) && new RegExp(FORBIDDEN).test(line))
}

export const wordsIn = (text: string): Array<string> => text.match(/[\p{L}\p{N}_$]+/gu) ?? []
