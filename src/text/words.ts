/** Splits texts into words, which consist of letters and digits of any script. */

/** Whether a text has a letter or a digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Splits a text into its words, in lower case: "Don't use C++ 17" → `don`, `t`, `use`, `c`, `17`. */
export const wordsIn = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Matches text in a script in which words follow each other without a space. In Korean, particles do: `a.ts를`. */
export const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/u
