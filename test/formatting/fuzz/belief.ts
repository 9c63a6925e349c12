/**
 * Computes the text that the fuzzer's model believes a file to have. A read shows the text, an edit or a patch changes
 * the believed text, and a note of SAT in an answer says how the file differs from it.
 */
import { applyPatch as applyDiff } from 'diff'
import { readFileSync } from 'node:fs'
import { parsePatch } from '../../../src/steps/patch-text.ts'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'

export type PlayedFile = {
  /** The path of the file and, in some sessions, that of a link to it. */
  paths: Array<string>
  /** The same paths, as patches name them. */
  names: Array<string>
  /** Whether a formatter of other files also writes this file. */
  isGenerated?: boolean
}

/** What the model believes that each file contains. */
export type Beliefs = Map<PlayedFile, string>

export const readLf = ({ paths }: PlayedFile): string => crlfToLf(readFileSync(paths[0]!, 'utf8'))

export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** The calls as the model sent them, and as the next request shows them. */
export type PlayedMessage = { sent: Array<PlayedCall>; shown: Array<ShownCall> }

/**
 * Returns a text after a call on it. Of a patch, only the sections on `names` count (all if `names` is empty). Returns
 * null if the call does not apply: its old text is missing, or occurs more than once without `replaceAll`.
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
  // The text starts with a line feed, and old lines start and end with one: the search finds only whole lines.
  let result = `\n${text}`
  for (const { lines } of sections.flatMap(({ hunks }) => hunks)) {
    const linesWithout = (sign: '+' | '-') =>
      ['', ...lines.filter((line) => line.sign !== sign).map((line) => line.text), ''].join('\n')
    const [oldLines, newLines] = [linesWithout('+'), linesWithout('-')]
    const at = onlyIndexOf(result, oldLines)
    if (at < 0) return null
    result = result.slice(0, at) + newLines + result.slice(at + oldLines.length)
  }
  // Like the host, drops a blank last line.
  return result.slice(1).replace(/\n\n$/, '\n')
}

/** Returns a file's believed text after calls; null if a call does not apply, or a partial read shows other lines. */
export const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    // Of a patch, `applyCall` picks the sections on the file.
    const mayBeOnFile = tool === 'apply_patch' || file.paths.includes(String(args['filePath']))
    if (!mayBeOnFile) continue
    believed = tool === 'read'
      ? afterRead(file, believed, args['offset'], output)
      : applyCall(believed, args, file.names)
    if (believed === null) return null
  }
  return believed
}

/** Returns the text that a full read shows. After a partial read: `believed`, or null if the file has other lines. */
const afterRead = (file: PlayedFile, believed: string, offset: unknown, output: string): string | null => {
  // A call without its output teaches the model nothing, and neither does an output with truncated lines.
  if (output === '' || output.includes('line truncated to')) return believed
  const text = readLf(file)
  const shownLines = linesRead(output)
  const isFullRead = offset === undefined || (offset === 1 && output.includes('\n(End of file'))
  // The output does not show whether the last line ends with a line feed, so the file decides.
  if (isFullRead) return shownLines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  // No edit follows a partial read in its message, so the file still has the lines that the read shows.
  const lines = text.split('\n').slice(Number(offset) - 1)
  return shownLines.every((line, index) => line === lines[index]) ? believed : null
}

/** Returns the lines that the answer of a read shows: `12: let a` → `let a`. */
export const linesRead = (output: string): Array<string> =>
  [...output.matchAll(/^\d+: (.*)$/gm)].map(([, line]) => line!)

// Only a note on how a file differs has these words after the file's name.
const NOTE_START = ' (?:was formatted and|was formatted, which|now differs|may differ)'

/** Finds the first note in an answer that says how the named file differs; '' if there is none. */
export const noteIn = (output: string, name: string): string => {
  const at = output.search(RegExp.escape(name) + NOTE_START)
  return at < 0 ? '' : output.slice(at).split('\n\n', 1)[0]!
}

// Matches hunks: `@@ -1,2 +1,2 @@`, then lines that begin with ` `, `+`, `-` or `\`.
const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** Applies the diff in the note on a file, if there is one, to the believed text; null if the diff does not fit. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const after = applyDiff(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return after === false ? null : after
}

/** Removes blank lines, because notes may omit that they were removed. */
export const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

/** Returns how the note on a file tells the model that the file has `text`; null if there is none, or a wrong one. */
export const howReported = (output: string, name: string, believed: string, text: string) => {
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
    // The empty item that `split` returns after the last line feed belongs to the range of the last line.
    if (end === lines.length - 1 && lines.at(-1) === '') lines[end] = null
  }
  return lines.filter((line) => line !== null)
}

/** Whether `all` has the lines in this order; `all` may have other lines between them. */
const occurInOrder = (lines: Array<string>, all: Array<string>): boolean => {
  let from = 0
  for (const line of lines) {
    const at = all.indexOf(line, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}
