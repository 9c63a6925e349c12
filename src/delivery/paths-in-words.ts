/** Finds paths and keywords in the text of a person's message. */

// Matches a run of characters that may be a path. Curly quotes, non-ASCII dashes and the punctuation of other
// scripts end it.
const WORD = /(?:[^\s"'`<>|,;\P{ASCII}]|[\p{L}\p{M}\p{N}])+/gu
// A path with spaces is found in quotes or in backticks.
const QUOTED = /(["`])([^"`\n]+)\1/g
// A path has a slash or a file extension. URLs, globs, flags and paths of the home folder are excluded.
const IS_PATH = /^(?![-~])(?!.*(?:[*?]|:\/\/))(?:.*[^/]\/.*[^/]|.*\w\.[a-z][\w-]{1,9}|.*\w\w\.[a-z])$/i

// Letters of scripts whose words may follow a path without a space, as Korean particles do. The path may also contain
// such letters, so each word is tried both whole and split.
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/u

// The punctuation before and after a path in a sentence, and a line number after it.
const BEFORE = /^[(@*]+/
const AFTER = '.,:!?)]}*'
const LINE_NUMBER = /:\d+(?:[:-]\d+)?$|#L\d.*$|\(\d+$/

const MAX_PATHS = 20

/** Strips the punctuation around a word of a sentence. In a loop, because a regex is slow on hundreds of signs. */
const withoutPunctuation = (word: string): string => {
  const start = word.slice(0, 300).replace(BEFORE, '')
  let end = start.length
  while (end > 0 && AFTER.includes(start[end - 1]!)) end--
  return start.slice(0, end).replace(LINE_NUMBER, '')
}

/** Returns the paths that a text names, as they are written; at most 20. */
export const pathsIn = (text: string): Array<string> => {
  const quoted = Array.from(text.matchAll(QUOTED), ([, , path]) => path!)
  const found = new Set<string>()
  for (const word of new Set([...text.replaceAll('](', ' ').match(WORD) ?? [], ...quoted])) {
    // Most words have neither a slash nor a dot.
    if (!/[./]/.test(word)) continue
    for (const bare of [...word.split(UNSPACED), word].map(withoutPunctuation)) {
      if (IS_PATH.test(bare)) found.add(bare)
    }
    if (found.size >= MAX_PATHS) break
  }
  return [...found].slice(0, MAX_PATHS)
}

/**
 * Whether a word of `text`, which must be in lower case, begins with a keyword. A keyword that begins with an
 * `UNSPACED` letter may also be inside a word.
 */
export const hasKeyword = (text: string, keyword: string): boolean => {
  const wanted = keyword.toLowerCase()
  for (let index = text.indexOf(wanted); index >= 0; index = text.indexOf(wanted, index + 1)) {
    if (UNSPACED.test(wanted[0] ?? '') || !/[\p{L}\p{N}_]/u.test(text[index - 1] ?? '')) return true
  }
  return false
}
