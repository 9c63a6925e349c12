/** Finds paths in the text of a person's message. */
import { UNSPACED } from '../text/words.ts'

// Matches a possible path: letters, marks and digits of all scripts, and ASCII except spaces, quotes and `<>|,;`.
const WORD = /(?:[^\s"'`<>|,;\P{ASCII}]|[\p{L}\p{M}\p{N}])+/gu
// Matches a text in quotes or backticks, but the `'` in `it's` opens no quotation.
const QUOTED = /(["`]|(?<![\p{L}\p{N}])')([^"`\n]+?)\1/gu
// Matches `src/api`, `a.ts` and `ab.c`, but not `e.g`, `1/2`, URLs, globs, flags and paths of the home folder.
const IS_PATH =
  /^(?![-~]|[\d/]+$)(?!.*(?:[*?]|:\/\/))(?:.*[^/]\/.*[^/]|.*[\p{L}\p{M}\p{N}_](?:\.[a-z][\w-]{1,9}|[\p{L}\p{M}\p{N}_]\.[a-z]))$/iu
// Matches `.env`, `a.c` and `[id].tsx`, but also `.NET` and `e.g`.
const IS_QUOTED_PATH = /^(?![-~]|.*:\/\/)[^\s*?]*\.[a-z][\w-]*$/i

// In `(app)/a.ts`, the `(` belongs to the path.
const BEFORE = /^(?:\*|\((?![^()]*\)))+/
const AFTER = '.,:!?)]}*'
// Matches `:12`, `:12-15`, `#L12` and `(12`, whose `)` is in AFTER.
const LINE_NUMBER = /:\d+(?:[:-]\d+)?$|#L\d.*$|\(\d+$/

const MAX_PATHS = 20
const MAX_LENGTH = 300

const barePath = (word: string): string => {
  // A regex would be slow on hundreds of signs.
  const end = word.slice(0, MAX_LENGTH).split('').findLastIndex((sign) => !AFTER.includes(sign)) + 1
  return word.slice(0, end).replace(BEFORE, '').replace(LINE_NUMBER, '')
}

/** Returns up to 20 paths that a text names, as written. */
export const pathsIn = (text: string): Array<string> => {
  const quoted = new Set(Array.from(text.matchAll(QUOTED), ([, , path]) => path!))
  const found = new Set<string>()
  // In a Markdown link, `](` separates the text and the path.
  const words = text.replaceAll('](', ' ').match(WORD) ?? []
  for (const word of new Set([...words, ...quoted])) {
    if (!/[./]/.test(word)) continue
    const isInQuotes = quoted.has(word)
    // In scripts without spaces, words may touch a path (`設定はa.tsに`) or belong to it (`文書/a.md`).
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
