export type LineEnding = '\n' | '\r\n'

/** The line ending that most lines of a text have. */
export const lineEndingOf = (text: string): LineEnding => {
  const windows = text.split('\r\n').length - 1
  const all = text.split('\n').length - 1
  return windows * 2 > all ? '\r\n' : '\n'
}

/** A text of lines that end in `\n`, with another ending. */
export const inLineEnding = (text: string, ending: LineEnding): string => text.replaceAll('\n', ending)
