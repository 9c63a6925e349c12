/** Finds the keywords of rules in the text of a person's message. */
import { UNSPACED } from '../text/words.ts'

// Matches a letter or Korean syllable that is written as several characters: `ï` as `i` and a mark.
const DECOMPOSED_LETTER = /\p{L}[\p{M}\u1160-\u11ff]{1,9}/gu

export const searchable = (text: string): string =>
  // Normalizes one letter at a time, because `normalize` takes quadratic time on thousands of marks in a row.
  text.toLowerCase().replace(DECOMPOSED_LETTER, (letter) => letter.normalize())

/** Whether a searchable text has a keyword at the start of a word, or anywhere if the keyword's script lacks spaces. */
export const hasKeyword = (text: string, keyword: string): boolean => {
  const wanted = searchable(keyword)
  for (let index = text.indexOf(wanted); index >= 0; index = text.indexOf(wanted, index + 1)) {
    if (UNSPACED.test(wanted[0] ?? '') || !/[\p{L}\p{N}_]/u.test(text[index - 1] ?? '')) return true
  }
  return false
}
