/** Splits a text at a separator and trims the parts, in linear time, unlike a split at a pattern such as `\s*,\s*`. */
export const trimmedParts = (text: string, separator: string | RegExp): Array<string> =>
  text.split(separator).map((part) => part.trim())
