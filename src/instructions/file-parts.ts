/** Parts of a file that is too long for one answer: how it is cut, and how a part is asked for. */

/** Which part of a file a text is, counted from 1, and how many there are. */
export type Part = { number: number; count: number }

/** Cuts a line into pieces of at most `limit` bytes, no character in two. */
const piecesOf = (line: string, limit: number): Array<string> => {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (line.length * 3 <= limit) return [line]
  const bytes = Buffer.from(line)
  const pieces: Array<string> = []
  for (let at = 0; at < bytes.length;) {
    let end = Math.min(at + limit, bytes.length)
    // In UTF-8 a byte that starts with the bits 10 belongs to the character before it.
    while (end < bytes.length && end > at + 1 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
    pieces.push(bytes.toString('utf8', at, end))
    at = end
  }
  return pieces
}

/** Cuts a text into parts within a limit each: at line breaks, and inside a line only where it alone is too long. */
export const splitIntoParts = (text: string, limit: { bytes: number; lines: number }): Array<string> => {
  const mostBytes = Math.max(4, Math.floor(limit.bytes))
  const mostLines = Math.max(1, Math.floor(limit.lines))
  const pieces = Array.from(text.matchAll(/[^\n]*\n|[^\n]+/g), ([line]) => piecesOf(line, mostBytes)).flat()
  const parts: Array<string> = []
  let part: Array<string> = []
  let bytes = 0
  for (const piece of pieces) {
    const size = Buffer.byteLength(piece)
    if (bytes + size > mostBytes || part.length >= mostLines) {
      parts.push(part.join(''))
      part = []
      bytes = 0
    }
    part.push(piece)
    bytes += size
  }
  return [...parts, part.join('')]
}

// A path, `#` and the number of a part: `AGENTS.md#2`.
const PART = /^(.+)#(\d{1,6})$/

/** Reads `AGENTS.md#2`, by which a model asks for the second part: gives path and number; null where there is none. */
export const readPartOf = (path: string): { path: string; number: number } | null => {
  const [, whole, number] = PART.exec(path) ?? []
  return whole === undefined ? null : { path: whole, number: Number(number) }
}
