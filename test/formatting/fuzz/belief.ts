/** Works out what a model believes a file contains after a call, and after the note in the answer to it. */
import { applyPatch as applyDiff } from 'diff'
import { parsePatch } from '../../../src/steps/patch-text.ts'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'

/**
 * Applies the arguments of a write, an edit or a patch to a text; of a patch, the sections on `names`, by default all.
 * Returns the new text, with LF; null if an old text does not occur, or occurs twice (without `replaceAll`).
 */
export const applyCall = (
  text: string,
  args: Record<string, unknown>,
  names: Array<string> = [],
): string | null => {
  const lfText = (name: string) => crlfToLf(String(args[name]))
  if ('content' in args) return lfText('content')
  if ('patchText' in args) return applyPatch(text, lfText('patchText'), names)
  const parts = text.split(lfText('oldString'))
  const isFound = args['replaceAll'] === true ? parts.length > 1 : parts.length === 2
  return isFound ? parts.join(lfText('newString')) : null
}

const applyPatch = (text: string, patchText: string, names: Array<string>): string | null => {
  const sections = parsePatch(patchText).filter(({ path }) => names.length === 0 || names.includes(path))
  if (sections.length === 0) return text
  // Old lines are searched for with a line feed before and after them, so that only whole lines are found.
  let result = `\n${text}`
  for (const { lines } of sections.flatMap(({ hunks }) => hunks)) {
    const linesWithout = (sign: '+' | '-') =>
      ['', ...lines.filter((line) => line.sign !== sign).map((line) => line.text), ''].join('\n')
    const [oldLines, newLines] = [linesWithout('+'), linesWithout('-')]
    const at = onlyIndexOf(result, oldLines)
    if (at < 0) return null
    result = result.slice(0, at) + newLines + result.slice(at + oldLines.length)
  }
  // Drops a blank last line, as the host does: it is only the line ending of the line before it.
  return result.slice(1).replace(/\n\n$/, '\n')
}

/** Returns the lines that the answer of a read shows: `12: let a` → `let a`. */
export const linesRead = (output: string): Array<string> =>
  [...output.matchAll(/^\d+: (.*)$/gm)].map(([, line]) => line!)

/** Matches what follows a file's name in a note on how it differs. Notes on failed formatters begin differently. */
const NOTE_START = ' (?:was formatted and|was formatted, which|now differs|may differ)'

/** Returns the first note in an answer on how the named file differs; an empty text if there is none. */
export const noteIn = (output: string, name: string): string => {
  const at = output.search(RegExp.escape(name) + NOTE_START)
  return at < 0 ? '' : output.slice(at).split('\n\n', 1)[0]!
}

/** Matches a unified diff: a line `@@ -1,2 +1,3 @@`, then signed lines and more hunks. */
const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** Applies the diff of the note on a file, if there is one, to the believed text; returns null if it does not fit. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const after = applyDiff(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return after === false ? null : after
}

/** Removes the blank lines of a text, to compare it without them: notes may omit blank lines that were removed. */
export const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

/** Returns how a note reports that the file contains `text`; null if there is no note, or if it is not right. */
export const reportedBy = (
  output: string,
  name: string,
  believed: string,
  text: string,
): 'told by a diff' | 'told by line numbers' | 'told to read again' | null => {
  const note = noteIn(output, name)
  if (note === '') return null
  if (note.includes('read it again')) return 'told to read again'
  const ranges = /from what you saw: lines ([\d, -]+) changed/.exec(note)?.[1]
  if (ranges !== undefined) {
    const otherLines = linesOutside(ranges, crlfToLf(text))
    return occurInOrder(otherLines, crlfToLf(believed).split('\n')) ? 'told by line numbers' : null
  }
  const after = afterNote(output, name, believed)
  return after !== null && withoutBlank(after) === withoutBlank(text) ? 'told by a diff' : null
}

/** Returns the lines of a text that are in none of the ranges: `2-5, 9` leaves lines 1, 6 to 8, and those after 9. */
const linesOutside = (ranges: string, text: string): Array<string> => {
  const lines: Array<string | null> = text.split('\n')
  for (const range of ranges.split(', ')) {
    const [start = 0, end = start] = range.split('-').map(Number)
    lines.fill(null, start - 1, end)
    // A range that ends at the last line includes its line ending, after which `split` returns an empty item.
    if (end === lines.length - 1 && lines.at(-1) === '') lines[end] = null
  }
  return lines.filter((line) => line !== null)
}

/** Whether `all` has the lines in this order, with or without others between them. */
const occurInOrder = (lines: Array<string>, all: Array<string>): boolean => {
  let from = 0
  return lines.every((line) => {
    from = all.indexOf(line, from) + 1
    return from > 0
  })
}
