/** Whether a text has a letter or a digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Lists the words of a text, which are runs of letters and digits, in lower case. */
export const wordsIn = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
