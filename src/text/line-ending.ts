/** What ends a line. */
export type LineEnding = '\n' | '\r\n' | '\r'

/** Gives the line ending that most lines of a text have; `\n` where no other has more. */
export const lineEndingOf = (text: string): LineEnding => {
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) counts[ending as LineEnding]++
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n'
  return counts['\r'] > counts['\n'] ? '\r' : '\n'
}

/** Splits a text into its lines, whatever they end with. */
export const linesOf = (text: string): Array<string> => text.split(/\r\n?|\n/)

/** Gives the number of the line of each offset, from 1. */
export const lineNumbers = (text: string): Uint32Array => {
  const numbers = new Uint32Array(text.length + 1)
  let line = 1
  for (let at = 0; at <= text.length; at++) {
    numbers[at] = line
    if (text[at] === '\n' || text[at] === '\r' && text[at + 1] !== '\n') line++
  }
  return numbers
}

/** Ends all lines of a text with `\n`, whatever they ended with. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Puts `\n` in the place of each `\r\n` of a text, as the host does before it compares texts; a lone `\r` stays. */
export const crlfToLf = (text: string): string => text.replaceAll('\r\n', '\n')

/** Puts another line ending in the place of each `\n` of a text. */
export const inLineEnding = (text: string, ending: LineEnding): string => text.replaceAll('\n', ending)
