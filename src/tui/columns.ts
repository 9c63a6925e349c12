/** Texts in the columns of a terminal. */

// East Asian letters and pictures take two columns of a terminal, marks on a letter none.
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u
const columnsOf = (character: string): number =>
  /[\p{M}\p{Cf}]/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1

/** Counts the columns that a text takes in a terminal. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOf(character), 0)

/** The first of some characters, as many as fit into a width. */
const firstOf = (characters: Array<string>, width: number): Array<string> => {
  let left = width
  const end = characters.findIndex((character) => (left -= columnsOf(character)) < 0)
  return end < 0 ? characters : characters.slice(0, end)
}

/** Cuts the end of a text, with `…`, to fit a width. */
export const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${firstOf([...text], width - 1).join('')}…`

/** Cuts the beginning of a path, with `…`, to fit a width: the name of the file matters most. */
export const cutPath = (path: string, width: number): string =>
  widthOf(path) <= width ? path : `…${firstOf([...path].reverse(), width - 1).reverse().join('')}`
