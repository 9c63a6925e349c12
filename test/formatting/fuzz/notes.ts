/** Reads the notes in which SAT tells the model how a file differs from the text that the model knows. */
import { applyPatch as applyDiff } from 'diff'
import { crlfToLf } from '../../../src/text/line-ending.ts'

// Only a note on how a file differs has these words after the file's name.
const AFTER_NAME = ' (?:was formatted and|was formatted, which|now differs|may differ)'

/** Returns an output's first note on how the named file differs, or ''. */
export const noteIn = (output: string, name: string): string => {
  const at = output.search(RegExp.escape(name) + AFTER_NAME)
  return at < 0 ? '' : output.slice(at).split('\n\n', 1)[0]!
}

const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** Applies the diff in a file's note. Returns `believed` if there is no diff, and null if the diff does not fit. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const after = applyDiff(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return after === false ? null : after
}

/** A note need not report that formatting removed blank lines. */
export const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

/** Returns null if the note is missing or wrong. */
export const howReported = (output: string, name: string, believed: string, text: string) => {
  const note = noteIn(output, name)
  if (note === '') return null
  if (note.includes('read it again')) return 'told to read again'
  const ranges = /from what you saw: lines ([\d, -]+) changed/.exec(note)?.[1]
  if (ranges !== undefined) return differsOnlyIn(ranges, believed, text) ? 'told by line numbers' : null
  const after = afterNote(output, name, believed)
  return after !== null && withoutBlank(after) === withoutBlank(text) ? 'told by a diff' : null
}

const differsOnlyIn = (ranges: string, believed: string, text: string): boolean => {
  const believedLines = crlfToLf(believed).split('\n')
  let searchFrom = 0
  for (const line of linesOutside(ranges, crlfToLf(text))) {
    const at = believedLines.indexOf(line, searchFrom)
    if (at < 0) return false
    searchFrom = at + 1
  }
  return true
}

/** Returns the lines of a text outside ranges such as `2-5, 9`. */
const linesOutside = (ranges: string, text: string): Array<string> => {
  const lines: Array<string | null> = text.split('\n')
  for (const range of ranges.split(', ')) {
    const [start = 0, end = start] = range.split('-').map(Number)
    lines.fill(null, start - 1, end)
    // The empty item after the last line feed belongs to the range of the last line.
    if (end === lines.length - 1 && lines.at(-1) === '') lines[end] = null
  }
  return lines.filter((line) => line !== null)
}
