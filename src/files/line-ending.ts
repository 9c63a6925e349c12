export type LineEnding = '\n' | '\r\n' | '\r'

/** The line ending that most lines of a text have; `\n` where none has more than another. */
export const lineEndingOf = (text: string): LineEnding => {
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) counts[ending as LineEnding]++
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n'
  return counts['\r'] > counts['\n'] ? '\r' : '\n'
}

/** A text whose lines end in `\n`, whatever they ended in. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** A text of lines that end in `\n`, with another ending. */
export const inLineEnding = (text: string, ending: LineEnding): string => text.replaceAll('\n', ending)
