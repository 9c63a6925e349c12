/** Finds and replaces the line endings of a text, and numbers its lines. */

type LineEnding = '\n' | '\r\n' | '\r'

/** Returns the most frequent line ending of a text. */
export const lineEndingOf = (text: string): LineEnding => {
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) counts[ending as LineEnding]++
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n'
  return counts['\r'] > counts['\n'] ? '\r' : '\n'
}

export const linesOf = (text: string): Array<string> => text.split(/\r\n?|\n/)

/** Unlike `linesOf`, returns no empty line after the last line ending. */
export const fileLinesOf = (text: string): Array<string> => {
  const lines = linesOf(text)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Returns the line number, from 1, of each offset of a text. */
export const lineNumbers = (text: string): Uint32Array => {
  const numbers = new Uint32Array(text.length + 1)
  let line = 1
  for (let offset = 0; offset <= text.length; offset++) {
    numbers[offset] = line
    if (text[offset] === '\n' || text[offset] === '\r' && text[offset + 1] !== '\n') line++
  }
  return numbers
}

export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Keeps a lone `\r`, as the host does before it compares texts. */
export const crlfToLf = (text: string): string => text.replaceAll('\r\n', '\n')

export const withLineEnding = (text: string, ending: LineEnding): string => text.replaceAll('\n', ending)
