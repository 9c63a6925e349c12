/** Measures and shortens texts by the columns that they take in a terminal. */

// East Asian letters and emoji.
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u
const ZERO_WIDTH = /[\p{M}\p{Cf}]/u

const columnsOf = (letter: string): number => ZERO_WIDTH.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1

export const widthOf = (text: string): number => [...text].reduce((sum, letter) => sum + columnsOf(letter), 0)

const firstFitting = (letters: Array<string>, width: number): Array<string> => {
  const end = letters.findIndex((_, index) => widthOf(letters.slice(0, index + 1).join('')) > width)
  return end < 0 ? letters : letters.slice(0, end)
}

export const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${firstFitting([...text], width - 1).join('')}…`

/** Cuts the start of a path, because the file's name at the end matters most. */
export const cutPath = (path: string, width: number): string =>
  widthOf(path) <= width ? path : `…${firstFitting([...path].reverse(), width - 1).reverse().join('')}`
