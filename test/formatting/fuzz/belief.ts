/** What a model believes that a file says, from its requests; and whether a note reports the difference. */
import { applyPatch } from 'diff'
import { parsePatch } from '../../../src/steps/patch-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'

const count = (text: string, part: string): number => text.split(part).length - 1

/** A hunk's lines in the place of those that it shows, as a reader applies it: exactly, once. */
const patched = (text: string, patchText: string, names: Array<string>): string | null => {
  const sections = parsePatch(patchText).filter(({ path }) => names.length === 0 || names.includes(path))
  if (sections.length === 0) return text
  let made = `\n${text}`
  for (const { lines } of sections.flatMap(({ hunks }) => hunks)) {
    const side = (sign: '+' | '-') => lines.filter((line) => line.sign !== sign).map((line) => line.text)
    const old = `\n${side('+').join('\n')}\n`
    const now = ['', ...side('-'), ''].join('\n')
    const at = made.indexOf(old)
    if (at < 0 || made.indexOf(old, at + 1) >= 0) return null
    made = made.slice(0, at) + now + made.slice(at + old.length)
  }
  // As the host has it: a last line that is blank is the last line end.
  return made.slice(1).replace(/\n\n$/, '\n')
}

/**
 * The text after a call as the model reads it; null where it does not apply to what the model believes.
 *
 * @param names those of the file in patches; a patch is of no other file where they are left out
 */
export const believe = (
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

/** The note on a file in a result; empty where there is none. */
export const noteIn = (output: string, name: string): string => {
  const starts = ['was formatted and', 'was formatted, which', 'now differs', 'may differ'].map((how) =>
    output.indexOf(`${name} ${how}`)
  )
  const [at] = starts.filter((start) => start >= 0).toSorted((one, other) => one - other)
  return at === undefined ? '' : output.slice(at).split('\n\n', 1)[0]!
}

const DIFF = /^@@ -\d+,\d+ \+\d+,\d+ @@\n(?:(?:[ +\-\\].*|@@ .* @@)(?:\n|$))*/m

/** What a reader makes of a text by the diff of a result's note; null where it does not apply. */
export const afterNote = (output: string, name: string, believed: string): string | null => {
  const diff = DIFF.exec(noteIn(output, name))?.[0]
  if (diff === undefined) return believed
  const made = applyPatch(crlfToLf(believed), `--- a\n+++ a\n${diff.replace(/\n*$/, '\n')}`)
  return made === false ? null : made
}

const RANGES = /from what you saw: lines ([\d, -]+) changed/

/** Whether the lines outside the named ranges stand in what is believed, in their order. */
const isRightAround = (ranges: string, believed: string, text: string): boolean => {
  const lines = text.split('\n')
  for (const range of ranges.split(', ')) {
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let line = first; line <= last; line += 1) lines[line - 1] = '\0'
    // The last line's line end is a part of it.
    if (last === lines.length - 1 && lines.at(-1) === '') lines[last] = '\0'
  }
  const old = believed.split('\n')
  let from = 0
  for (const line of lines.filter((one) => one !== '\0')) {
    const at = old.indexOf(line, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}

/** The lines that a read's result shows. */
export const linesRead = (output: string): Array<string> =>
  output.split('\n').flatMap((line) => /^\d+: (.*)$/.exec(line)?.[1] ?? [])

/** A text without its blank lines: removed ones are not reported. */
export const withoutBlank = (text: string): string => crlfToLf(text).replace(/^[ \t]*\n/gm, '')

/** How a result's note reports the lines in which a file differs from what is believed; null where it does not. */
export const toldBy = (
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
