/**
 * Works out what the fuzzer's model believes that a file contains. A read shows the text, an edit or a patch changes
 * what the model believed, and a note of SAT in an answer says how the file differs.
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
 * Applies a call to a text; of a patch, the sections on `names` (all if there are none). Returns null if an old text is
 * missing, or occurs repeatedly without `replaceAll`.
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
  // All texts get a line feed at both ends, so that the search for old lines finds only whole lines.
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

/** Returns the believed text of a file after calls; null if one does not apply, or a partial read contradicts it. */
export const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    // Of a patch, `applyCall` picks the sections on the file.
    const isOnFile = tool === 'apply_patch' || file.paths.includes(String(args['filePath']))
    if (!isOnFile) continue
    believed = tool === 'read'
      ? afterRead(file, believed, args['offset'], output)
      : applyCall(believed, args, file.names)
    if (believed === null) return null
  }
  return believed
}

const afterRead = (file: PlayedFile, believed: string, offset: unknown, output: string): string | null => {
  // A call as it was sent has no output, and truncated lines do not show the text.
  if (output === '' || output.includes('line truncated to')) return believed
  const text = readLf(file)
  const lines = linesRead(output)
  const readsAll = offset === undefined || (offset === 1 && output.includes('\n(End of file'))
  // A read does not show whether the last line ends with a line feed, so the file decides.
  if (readsAll) return lines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  // A partial read is the last call of its message, so it must show lines of the present file.
  const current = text.split('\n').slice(Number(offset) - 1)
  return lines.every((line, index) => line === current[index]) ? believed : null
}

/** Returns the lines that the answer of a read shows: `12: let a` → `let a`. */
export const linesRead = (output: string): Array<string> =>
  [...output.matchAll(/^\d+: (.*)$/gm)].map(([, line]) => line!)

// The words after a file's name in a note on how the file differs. In other notes, other words follow the name.
const NOTE_START = ' (?:was formatted and|was formatted, which|now differs|may differ)'

/** Finds the first note in an answer that says how the named file differs; '' if there is none. */
export const noteIn = (output: string, name: string): string => {
  const at = output.search(RegExp.escape(name) + NOTE_START)
  return at < 0 ? '' : output.slice(at).split('\n\n', 1)[0]!
}

// Matches hunks: `@@ -1,2 +1,2 @@`, then lines that begin with ` `, `+`, `-` or `\`.
const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** Applies the diff of the note on a file, if it has one, to the believed text; returns null if it does not fit. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const after = applyDiff(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return after === false ? null : after
}

/** Removes blank lines, because notes may omit that they were removed. */
export const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

/** Returns how a note tells the model that the file now contains `text`; null if there is no note, or it is wrong. */
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
    // A range that ends at the last line includes its line ending, after which `split` returns an empty item.
    if (end === lines.length - 1 && lines.at(-1) === '') lines[end] = null
  }
  return lines.filter((line) => line !== null)
}

/** Whether `all` has the lines in this order, with or without others between them. */
const occurInOrder = (lines: Array<string>, all: Array<string>): boolean => {
  let from = 0
  for (const line of lines) {
    const at = all.indexOf(line, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}
