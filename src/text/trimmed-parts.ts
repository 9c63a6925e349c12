/**
 * Splits a text at a separator, and trims its parts, in a time that grows as the text does: a regular expression such as
 * `\s*,\s*` is tried at each of many blanks, and takes seconds for 100,000 of them.
 */
export const trimmedParts = (text: string, separator: string | RegExp): Array<string> =>
  text.split(separator).map((part) => part.trim())
