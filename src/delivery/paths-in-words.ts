/** Finds paths and keywords in the text of a person's message. */

// Matches a possible path: ASCII except spaces, quotes and `<>|,;`, and the letters, marks and digits of all scripts.
const WORD = /(?:[^\s"'`<>|,;\P{ASCII}]|[\p{L}\p{M}\p{N}])+/gu
// Matches a text in quotes or backticks, which may be a path with spaces. The `'` in `it's` opens no text.
const QUOTED = /(["`]|(?<![\p{L}\p{N}])')([^"`\n]+?)\1/gu
// Matches `src/api`, `a.ts` and `ab.c`, but not `e.g`, `1/2`, URLs, globs, flags and paths of the home folder.
const IS_PATH =
  /^(?![-~]|[\d/]+$)(?!.*(?:[*?]|:\/\/))(?:.*[^/]\/.*[^/]|.*[\p{L}\p{M}\p{N}_](?:\.[a-z][\w-]{1,9}|[\p{L}\p{M}\p{N}_]\.[a-z]))$/iu
// Matches `.env`, `a.c` and `[id].tsx`, which are paths only in quotes or backticks: `.NET` and `e.g` look the same.
const IS_QUOTED_PATH = /^(?![-~]|.*:\/\/)[^\s*?]*\.[a-z][\w-]*$/i

// Scripts whose words may touch a path (`設定はa.tsに`) or belong to it (`文書/a.md`). So both readings are tried.
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/u

// Matches a letter or Korean syllable that is written as several characters: `ï` as `i` and a mark.
const DECOMPOSED_LETTER = /\p{L}[\p{M}\u1160-\u11ff]{1,9}/gu

// The signs around a path in a sentence. In `(app)/a.ts`, the `(` belongs to the path.
const BEFORE = /^(?:\*|\((?![^()]*\)))+/
const AFTER = '.,:!?)]}*'
// Matches `:12`, `:12-15`, `#L12` and `(12`. The `)` is removed before, as a sign of AFTER.
const LINE_NUMBER = /:\d+(?:[:-]\d+)?$|#L\d.*$|\(\d+$/

const MAX_PATHS = 20
const MAX_LENGTH = 300

const barePath = (word: string): string => {
  // A loop, because a regex would be slow on hundreds of signs.
  let end = Math.min(word.length, MAX_LENGTH)
  while (end > 0 && AFTER.includes(word[end - 1]!)) end--
  return word.slice(0, end).replace(BEFORE, '').replace(LINE_NUMBER, '')
}

/** Returns up to 20 paths that a text names, as written. A path such as `@a/b.ts` is also returned as `a/b.ts`. */
export const pathsIn = (text: string): Array<string> => {
  const quoted = new Set(Array.from(text.matchAll(QUOTED), ([, , path]) => path!))
  const found = new Set<string>()
  // In a Markdown link, `](` separates the text and the path.
  const words = text.replaceAll('](', ' ').match(WORD) ?? []
  for (const word of new Set([...words, ...quoted])) {
    // A path has a slash or a dot. Most words have neither.
    if (!/[./]/.test(word)) continue
    const isInQuotes = quoted.has(word)
    for (const path of [...word.split(UNSPACED), word].map(barePath)) {
      if (IS_PATH.test(path) || (isInQuotes && word.startsWith(path) && IS_QUOTED_PATH.test(path))) {
        found.add(path)
      }
    }
    if (found.size >= MAX_PATHS) break
  }
  // `@types/a.ts` may be a path, or a mention of `types/a.ts`.
  return [...found].slice(0, MAX_PATHS).flatMap((path) => path.startsWith('@') ? [path, path.slice(1)] : path)
}

/** Prepares a text for `hasKeyword`: converts it to lower case, and composes its letters (`i` and a mark to `ï`). */
export const searchable = (text: string): string =>
  // One letter at a time, because `normalize` takes quadratic time on thousands of marks in a row.
  text.toLowerCase().replace(DECOMPOSED_LETTER, (letter) => letter.normalize())

/** Whether a searchable text has a keyword at the start of a word. A keyword in an unspaced script may be anywhere. */
export const hasKeyword = (text: string, keyword: string): boolean => {
  const wanted = searchable(keyword)
  for (let index = text.indexOf(wanted); index >= 0; index = text.indexOf(wanted, index + 1)) {
    if (UNSPACED.test(wanted[0] ?? '') || !/[\p{L}\p{N}_]/u.test(text[index - 1] ?? '')) return true
  }
  return false
}
