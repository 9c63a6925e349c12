/** Splits texts into words, which consist of letters and digits of any script. */

export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

export const wordsIn = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** In these scripts, no space separates a word from the next word or, in Korean, from its particle: `a.ts를`. */
export const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/u
