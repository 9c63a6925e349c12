/** Measures and shortens texts by the columns that they take in a terminal. */

// East Asian letters and emoji take two columns of a terminal, combining marks none.
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u
const columnsOf = (character: string): number =>
  /[\p{M}\p{Cf}]/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1

/** Counts the columns that a text takes in a terminal. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOf(character), 0)

/** Returns as many of the first characters as fit into a width. */
const fittingCharacters = (characters: Array<string>, width: number): Array<string> => {
  let room = width
  const end = characters.findIndex((character) => (room -= columnsOf(character)) < 0)
  return end < 0 ? characters : characters.slice(0, end)
}

/** Shortens a text at the end, with `…`, to fit a width. */
export const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${fittingCharacters([...text], width - 1).join('')}…`

/** Shortens a path at the start, with `…`, to fit a width: it keeps the file's name, which matters most. */
export const cutPath = (path: string, width: number): string =>
  widthOf(path) <= width ? path : `…${fittingCharacters([...path].reverse(), width - 1).reverse().join('')}`
