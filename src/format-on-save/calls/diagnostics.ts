import { firstIndexWhere } from '../realign/binary-search.ts'
import { realign } from '../realign/realign.ts'
import type { ToolOutput } from './result.ts'

/** A file that was formatted after the host had asked its language servers about it. */
type Formatted = { path: string; before: string; after: string }

/** A place in a text as language servers count it, from 0; columns in UTF-16 units. */
type Position = { line: number; character: number }

type Diagnostic = { range: { start: Position; end: Position } }

/** The head of an error in a result, `ERROR [6:5] `, as the host writes it. */
const HEAD = /^(ERROR \[)(\d+):(\d+)(\] )/

// As in `realign/tokens`: a word, or one other character that is no white space.
const TOKEN = /[\p{L}\p{N}_$]+|\S/uy

const lineStartsOf = (text: string): Array<number> => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Maps a position of a text to the one where the same word stands in the formatted text; null where none is sure. */
const carryPosition = (before: string, after: string): (position: Position) => Position | null => {
  const find = realign(before, after)
  const starts = lineStartsOf(before)
  const startsAfter = lineStartsOf(after)
  const positionOf = (offset: number): Position => {
    const line = firstIndexWhere(startsAfter.length, (index) => startsAfter[index]! > offset) - 1
    return { line, character: offset - startsAfter[line]! }
  }
  const end = before.trimEnd().length
  return ({ line, character }) => {
    const offset = Math.min((starts[line] ?? before.length) + character, before.length)
    // What is missing at the end is reported behind the last word.
    if (offset >= end) return positionOf(after.trimEnd().length)
    TOKEN.lastIndex = offset
    const word = TOKEN.exec(before)?.[0] ?? before[offset]!
    const found = find({ start: offset, end: offset + word.length })
    // A range that grew with what stands around it does not say where the word is.
    const at = found ? after.slice(found.start, found.end).indexOf(word) : -1
    return found && at >= 0 ? positionOf(found.start + at) : null
  }
}

const carryBlock = (block: string, carry: (position: Position) => Position | null): string => {
  const kept: Array<string> = []
  let lost = 0
  let isLost = false
  for (const line of block.split('\n')) {
    const head = HEAD.exec(line)
    if (head) {
      const now = carry({ line: Number(head[2]) - 1, character: Number(head[3]) - 1 })
      isLost = now === null
      if (now) kept.push(line.replace(HEAD, `$1${now.line + 1}:${now.character + 1}$4`))
      else lost += 1
    } else if (!isLost || line.startsWith('</')) kept.push(line)
  }
  if (lost > 0) kept.splice(-1, 0, `... and ${lost} more in lines that formatting changed`)
  return kept.join('\n')
}

const carryMetadata = (
  all: Record<string, unknown>,
  path: string,
  carry: ReturnType<typeof carryPosition>,
) => {
  const given = all[path]
  if (!Array.isArray(given)) return
  all[path] = given.flatMap((diagnostic: Diagnostic) => {
    const start = carry(diagnostic.range.start)
    if (start === null) return []
    const { line, character } = diagnostic.range.end
    const length = line === diagnostic.range.start.line ? character - diagnostic.range.start.character : 0
    const end = { line: start.line, character: start.character + length }
    return [{ ...diagnostic, range: { start, end } }]
  })
}

/**
 * Makes the errors of language servers in a result name the lines of the files as they are now: the host asks before
 * the formatting, and again only with its own next tool. An error whose place is not sure is dropped and counted.
 */
export const carryDiagnostics = (output: ToolOutput, files: Array<Formatted>): void => {
  const metadata = Object(Object(output.metadata)['diagnostics']) as Record<string, unknown>
  for (const { path, before, after } of files) {
    const start = output.output.indexOf(`<diagnostics file="${path}">`)
    if (before === after || (start < 0 && !(path in metadata))) continue
    const carry = carryPosition(before, after)
    const end = output.output.indexOf('</diagnostics>', start) + '</diagnostics>'.length
    if (start >= 0) {
      const block = carryBlock(output.output.slice(start, end), carry)
      output.output = output.output.slice(0, start) + block + output.output.slice(end)
    }
    carryMetadata(metadata, path, carry)
  }
}
