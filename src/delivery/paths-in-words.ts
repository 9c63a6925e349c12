/** Finds paths and keywords in the text of a person's message. */

// May be a path: ASCII except spaces, quotes and `<>|,;`, and the letters, marks and digits of all scripts.
const WORD = /(?:[^\s"'`<>|,;\P{ASCII}]|[\p{L}\p{M}\p{N}])+/gu
// A text in quotes or backticks, which may be a path with spaces. A `'` after a letter opens no text: `it's`.
const QUOTED = /(["`]|(?<![\p{L}\p{N}])')([^"`\n]+?)\1/gu
// Matches `src/api`, `a.ts` and `ab.c`, but not `e.g`, URLs, globs, flags and paths of the home folder.
const IS_PATH =
  /^(?![-~])(?!.*(?:[*?]|:\/\/))(?:.*[^/]\/.*[^/]|.*[\p{L}\p{M}\p{N}_](?:\.[a-z][\w-]{1,9}|[\p{L}\p{M}\p{N}_]\.[a-z]))$/iu
// Matches `.env`. Such a name is a path only in quotes or backticks, because `.NET` is none.
const DOT_NAME = /^\.[a-z][\w-]+$/i

// Scripts whose words may touch a path. So a word is tried split (`設定はa.tsに`) and whole (`文書/a.md`).
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/u

// The signs around a path in a sentence; a line number: `:12`, `:12-15`, `#L12`, `(12` (AFTER removes `)`).
const BEFORE = /^(?:\*|\((?![^()]*\)))+/ // In `(app)/a.ts`, the `(` belongs to the path.
const AFTER = '.,:!?)]}*'
const LINE_NUMBER = /:\d+(?:[:-]\d+)?$|#L\d.*$|\(\d+$/

const MAX_PATHS = 20
const MAX_LENGTH = 300

const barePath = (word: string): string => {
  // A loop, because a regex would be slow on hundreds of signs.
  let end = Math.min(word.length, MAX_LENGTH)
  while (end > 0 && AFTER.includes(word[end - 1]!)) end--
  return word.slice(0, end).replace(BEFORE, '').replace(LINE_NUMBER, '')
}

/** Returns the paths that a text names, as written; at most 20. Those that begin with `@` are also returned without. */
export const pathsIn = (text: string): Array<string> => {
  const quoted = new Set(Array.from(text.matchAll(QUOTED), ([, , path]) => path!))
  const found = new Set<string>()
  // In a Markdown link, `](` separates the text and the path.
  const words = text.replaceAll('](', ' ').match(WORD) ?? []
  for (const word of new Set([...words, ...quoted])) {
    // A path has a slash or a dot. Most words have neither.
    if (!/[./]/.test(word)) continue
    for (const path of [...word.split(UNSPACED), word].map(barePath)) {
      if (IS_PATH.test(path) || (DOT_NAME.test(path) && quoted.has(path))) found.add(path)
    }
    if (found.size >= MAX_PATHS) break
  }
  // `@types/a.ts` may be a path, or a mention of `types/a.ts`.
  return [...found].slice(0, MAX_PATHS).flatMap((path) => path.startsWith('@') ? [path, path.slice(1)] : path)
}

/** Whether a lower-case text has a keyword at the start of a word or, for a keyword in an unspaced script, anywhere. */
export const hasKeyword = (text: string, keyword: string): boolean => {
  const wanted = keyword.toLowerCase()
  for (let index = text.indexOf(wanted); index >= 0; index = text.indexOf(wanted, index + 1)) {
    if (UNSPACED.test(wanted[0] ?? '') || !/[\p{L}\p{N}_]/u.test(text[index - 1] ?? '')) return true
  }
  return false
}
