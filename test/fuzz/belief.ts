/** What a model believes that a file says, from what its requests show it; and whether it was told what it does not. */
import { parsePatch } from '../../src/format-on-save/calls/apply-patch.ts'

const count = (text: string, part: string): number => text.split(part).length - 1

/** A hunk's lines in the place of those that it shows, as a reader applies it: exactly, once. */
const patched = (text: string, patchText: string): string | null => {
  let made = `\n${text}`
  for (const { hunks } of parsePatch(patchText)) {
    for (const { lines } of hunks) {
      const side = (sign: '+' | '-') => lines.filter((line) => line.sign !== sign).map((line) => line.text)
      const old = `\n${side('+').join('\n')}\n`
      const now = side('-')
      const at = made.indexOf(old)
      if (at < 0 || made.indexOf(old, at + 1) >= 0) return null
      made = made.slice(0, at) + (now.length > 0 ? `\n${now.join('\n')}\n` : '\n')
        + made.slice(at + old.length)
    }
  }
  // As the host has it: a last line that is blank is the last line end.
  return made.slice(1).replace(/\n\n$/, '\n')
}

/** The text after a call as the model reads it; null where it does not apply to what the model believes. */
export const believe = (text: string, args: Record<string, unknown>): string | null => {
  if (typeof args['content'] === 'string') return args['content']
  if (typeof args['patchText'] === 'string') return patched(text, args['patchText'])
  const oldString = String(args['oldString'])
  const newString = String(args['newString'])
  if (args['replaceAll'] === true) {
    return text.includes(oldString)
      ? text.replaceAll(oldString, () => newString)
      : null
  }
  return count(text, oldString) === 1 ? text.replace(oldString, () => newString) : null
}

const READ_AGAIN = 'read it again'

/** The lines that a note says, by their number. */
const toldLines = (note: string): Map<number, string> => {
  const told = new Map<number, string>()
  const lines = note.split('\n')
  for (const [index, line] of lines.entries()) {
    const found = /now reads in lines? (\d+)(?:-(\d+))?:$/.exec(line)
    if (!found) continue
    const first = Number(found[1])
    const last = Number(found[2] ?? first)
    for (let number = first; number <= last; number += 1) {
      told.set(number, lines[index + 1 + number - first] ?? '')
    }
  }
  return told
}

const linesOf = (text: string): Array<string> => text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')

/** The runs of lines that are not told. */
const segmentsOf = (lines: Array<string>, told: Map<number, string>): Array<Array<string>> => {
  const segments: Array<Array<string>> = [[]]
  for (const [index, line] of lines.entries()) {
    if (told.has(index + 1)) segments.push([])
    else segments.at(-1)!.push(line)
  }
  return segments.filter(({ length }) => length > 0)
}

/** Whether a result's note tells every line in which a file differs from what is believed, and tells it truly. */
export const isTold = (output: string, name: string, believed: string, text: string): boolean => {
  const at = output.indexOf(`${name} was formatted`)
  if (at < 0) return false
  const note = output.slice(at)
  if (note.includes(READ_AGAIN)) return true
  const now = linesOf(text)
  const told = toldLines(note)
  for (const [number, line] of told) if (now[number - 1] !== line) return false
  // What is not told must stand in what is believed, as it is, between what is told.
  const old = linesOf(believed)
  let from = 0
  for (const segment of segmentsOf(now, told)) {
    const at = old.findIndex((_, index) =>
      index >= from && segment.every((line, offset) => old[index + offset] === line)
    )
    if (at < 0) return false
    from = at + segment.length
  }
  const startsTold = told.has(1) || old[0] === now[0]
  const endsTold = told.has(now.length) || old.at(-1) === now.at(-1)
  return startsTold && endsTold
}
