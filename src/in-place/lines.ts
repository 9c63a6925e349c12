/** A part of a text, by offsets in UTF-16 units; `to` is the first offset that is not in it. */
export type Span = { from: number; to: number }

/** Finds the start of the line of an offset. */
export const lineStart = (text: string, at: number): number => {
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
  return at
}

/** Finds the end of the line of an offset, with its line break. */
export const nextLine = (text: string, at: number): number => {
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at + (text.startsWith('\r\n', at) ? 2 : at < text.length ? 1 : 0)
}

/** Gives the quotation marks and spaces that continue, on the next lines, what begins at an offset. */
export const prefixOf = (text: string, at: number): string =>
  text.slice(lineStart(text, at), at).replace(/[^\s>]/g, ' ')

/** Whether nothing but quotation marks and spaces stands before an offset in its line. */
export const beginsLine = (text: string, at: number): boolean =>
  /^[\s>]*$/.test(text.slice(lineStart(text, at), at))

const lineAt = (text: string, at: number): string => text.slice(at, nextLine(text, at))

const depthOf = (line: string): number => /^[\s>]*/.exec(line)![0].replace(/\s/g, '').length

/** Whether the line that begins at an offset has no words; `depth` is how many quotation marks it has. */
const isBlank = (text: string, at: number, depth: number): boolean => {
  const line = lineAt(text, at)
  return /^[\s>]*$/.test(line) && depthOf(line) === depth
}

/** Gives the end of the line before the one that begins at an offset, without its line break. */
export const endOfLine = (text: string, start: number): number =>
  start - (text.startsWith('\r\n', start - 2) ? 2 : 1)

const previousLine = (text: string, start: number): number => lineStart(text, endOfLine(text, start))

/** Whether the line before the one of an offset has words. */
export const followsWords = (text: string, at: number): boolean => {
  const start = lineStart(text, at)
  return start > 0 && !/^[\s>]*$/.test(lineAt(text, previousLine(text, start)))
}

/** Whether the line after the one of an offset has words. */
export const precedesWords = (text: string, at: number): boolean =>
  /[^\s>]/.test(lineAt(text, nextLine(text, at)))

/** Joins removed spans of whole lines, and removes the blank lines that would then be doubled. */
export const withBlankLines = (text: string, removed: Array<Span>): Array<Span> => {
  const joined: Array<Span> = []
  for (const { from, to } of removed.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last !== undefined && /^[\s>]*$/.test(text.slice(last.to, from))) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined.map(({ from, to }) => {
    const depth = depthOf(lineAt(text, from))
    const followsBlank = from === 0 || isBlank(text, previousLine(text, from), depth)
    if (!followsBlank) return { from, to }
    const isEnd = to >= text.length || depthOf(lineAt(text, to)) < depth
    if (isEnd) {
      while (from > 0 && isBlank(text, previousLine(text, from), depth)) from = previousLine(text, from)
    } else while (to < text.length && isBlank(text, to, depth)) to = nextLine(text, to)
    return { from, to }
  })
}
