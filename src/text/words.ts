/** Splits texts into words, which consist of letters and digits of any script. */

/** Whether a text has a letter or a digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Splits a text into its words, in lower case: "Don't use C++ 17" → `don`, `t`, `use`, `c`, `17`. */
export const wordsIn = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
