/** Works out what a model believes of a file from its requests, and whether a note reports how the file differs. */
import { applyPatch } from 'diff'
import { parsePatch } from '../../../src/steps/patch-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'

const count = (text: string, part: string): number => text.split(part).length - 1

/** Applies a patch as a reader does: the old lines of each hunk must occur once. */
const patched = (text: string, patchText: string, names: Array<string>): string | null => {
  const sections = parsePatch(patchText).filter(({ path }) => names.length === 0 || names.includes(path))
  if (sections.length === 0) return text
  let result = `\n${text}`
  for (const { lines } of sections.flatMap(({ hunks }) => hunks)) {
    const side = (sign: '+' | '-') => lines.filter((line) => line.sign !== sign).map((line) => line.text)
    const old = `\n${side('+').join('\n')}\n`
    const replacement = ['', ...side('-'), ''].join('\n')
    const at = result.indexOf(old)
    if (at < 0 || result.indexOf(old, at + 1) >= 0) return null
    result = result.slice(0, at) + replacement + result.slice(at + old.length)
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
  const oldString = String(args['oldString'])
  const newString = String(args['newString'])
  if (args['replaceAll'] === true) {
    return text.includes(oldString) ? text.replaceAll(oldString, () => newString) : null
  }
  return count(text, oldString) === 1 ? text.replace(oldString, () => newString) : null
}

/** Returns the note on a file in an answer, or an empty text. */
export const noteIn = (output: string, name: string): string => {
  const starts = ['was formatted and', 'was formatted, which', 'now differs', 'may differ'].map((how) =>
    output.indexOf(`${name} ${how}`)
  )
  const [at] = starts.filter((start) => start >= 0).toSorted((a, b) => a - b)
  return at === undefined ? '' : output.slice(at).split('\n\n', 1)[0]!
}

const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** Applies the diff of the note in an answer; returns null if it does not apply. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const patchedText = applyPatch(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return patchedText === false ? null : patchedText
}

const RANGES = /from what you saw: lines ([\d, -]+) changed/

/** Returns whether the text that the model believes contains all lines outside of the reported ranges, in order. */
const isRightAround = (ranges: string, believed: string, text: string): boolean => {
  const lines = text.split('\n')
  for (const range of ranges.split(', ')) {
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let line = first; line <= last; line += 1) lines[line - 1] = '\0'
    // A line ending belongs to its line.
    if (last === lines.length - 1 && lines.at(-1) === '') lines[last] = '\0'
  }
  const old = believed.split('\n')
  let from = 0
  for (const line of lines.filter((expected) => expected !== '\0')) {
    const at = old.indexOf(line, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}

/** Returns the lines that the answer of a read shows. */
export const linesRead = (output: string): Array<string> =>
  output.split('\n').flatMap((line) => /^\d+: (.*)$/.exec(line)?.[1] ?? [])

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
  const ranges = RANGES.exec(note)?.[1]
  if (ranges !== undefined) {
    return isRightAround(ranges, crlfToLf(believed), crlfToLf(text)) ? 'told by line numbers' : null
  }
  const after = note === '' ? null : afterNote(output, name, believed)
  return after !== null && withoutBlank(after) === withoutBlank(text) ? 'told by a diff' : null
}
