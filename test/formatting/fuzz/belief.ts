/** Works out what a model believes of a file from its requests, and whether a note reports how the file differs. */
import { applyPatch } from 'diff'
import { parsePatch } from '../../../src/steps/patch-text.ts'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'

/** Applies a patch as a reader does: the old lines of each hunk must occur once. */
const patched = (text: string, patchText: string, names: Array<string>): string | null => {
  const sections = parsePatch(patchText).filter(({ path }) => names.length === 0 || names.includes(path))
  if (sections.length === 0) return text
  let result = `\n${text}`
  for (const { lines } of sections.flatMap(({ hunks }) => hunks)) {
    const linesWithout = (sign: '+' | '-') =>
      ['', ...lines.filter((line) => line.sign !== sign).map((line) => line.text), ''].join('\n')
    const old = linesWithout('+')
    const at = onlyIndexOf(result, old)
    if (at < 0) return null
    result = result.slice(0, at) + linesWithout('-') + result.slice(at + old.length)
  }
  // As in the host, a blank last line is the line ending of the line before it.
  return result.slice(1).replace(/\n\n$/, '\n')
}

/**
 * Returns the text after a call as the model reads it, or null if the call does not apply to what the model believes.
 *
 * @param names the names of the file in patches; without them, all sections of a patch are of this file
 */
export const applyCall = (
  text: string,
  args: Record<string, unknown>,
  names: Array<string> = [],
): string | null => {
  if (typeof args['content'] === 'string') return args['content']
  if (typeof args['patchText'] === 'string') return patched(text, args['patchText'], names)
  const parts = text.split(String(args['oldString']))
  const isFound = args['replaceAll'] === true ? parts.length > 1 : parts.length === 2
  return isFound ? parts.join(String(args['newString'])) : null
}

/** Returns the note on a file in an answer, or an empty text. */
export const noteIn = (output: string, name: string): string => {
  const starts = ['was formatted and', 'was formatted, which', 'now differs', 'may differ'].map((how) =>
    output.indexOf(`${name} ${how}`)
  )
  const at = Math.min(...starts.filter((start) => start >= 0))
  return output.slice(at).split('\n\n', 1)[0]!
}

/** Matches a unified diff: a line `@@ -1,2 +1,3 @@`, then signed lines and more hunks. */
const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** Returns the believed text with the diff of the note in an answer; null if the diff does not apply. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const patchedText = applyPatch(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return patchedText === false ? null : patchedText
}

/** Whether the believed text contains all lines of a text outside of reported ranges (`2-5, 9`), in their order. */
const isRightAround = (ranges: string, believed: string, text: string): boolean => {
  const lines: Array<string | null> = text.split('\n')
  for (const range of ranges.split(', ')) {
    const [start = 0, end = start] = range.split('-').map(Number)
    lines.fill(null, start - 1, end)
    // A line ending belongs to its line.
    if (end === lines.length - 1 && lines.at(-1) === '') lines[end] = null
  }
  const believedLines = believed.split('\n')
  let from = 0
  return lines.filter((line) => line !== null).every((line) => {
    from = believedLines.indexOf(line, from) + 1
    return from > 0
  })
}

/** Returns the lines that the answer of a read shows. */
export const linesRead = (output: string): Array<string> =>
  [...output.matchAll(/^\d+: (.*)$/gm)].map(([, line]) => line!)

/** Removes blank lines from a text, because a formatter's removal of them is not reported. */
export const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

/** Returns how the note in an answer reports a file that differs from what the model believes; null if it does not. */
export const reportedBy = (
  output: string,
  name: string,
  believed: string,
  text: string,
): 'told by a diff' | 'told by line numbers' | 'told to read again' | null => {
  const note = noteIn(output, name)
  if (note.includes('read it again')) return 'told to read again'
  const ranges = /from what you saw: lines ([\d, -]+) changed/.exec(note)?.[1]
  if (ranges !== undefined) {
    return isRightAround(ranges, crlfToLf(believed), crlfToLf(text)) ? 'told by line numbers' : null
  }
  const after = note === '' ? null : afterNote(output, name, believed)
  return after !== null && withoutBlank(after) === withoutBlank(text) ? 'told by a diff' : null
}
