/** Values of a rule file's header: lists, words and texts as people write them, which is not always as YAML has them. */
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import { trimmedParts } from '../text/trimmed-parts.ts'

/** The keys that hold globs: of OpenCode and Cursor, of Claude Code and Cline, of Copilot. */
export const GLOB_KEYS = ['globs', 'paths', 'applyTo'] as const

/** Whether a key holds globs. */
export const isGlobKey = (key: string): boolean => GLOB_KEYS.some((one) => one === key)

// A text in quotes where a value starts: at its beginning, after whitespace, a comma or a bracket.
export const QUOTED = /(?<=^|[\s,[:{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.source
const TOKEN = new RegExp(`${QUOTED}|[^"'\\s,:[\\]{}()]+|[^]`, 'g')
const QUOTED_ONE = /^\s*(["'])[^]*\1\s*$/
const COMMENT = new RegExp(`(${QUOTED})|(?:^|\\s)#.*`, 'g')

/** Takes the comment off a line; a `#` starts one where whitespace stands before it. */
export const uncommented = (line: string): string =>
  line.replace(COMMENT, (_, quoted: string | undefined) => quoted ?? '').trim()

/** The same; curly quotes, which editors of prose type, and backticks become plain ones. */
export const withoutComment = (line: string): string =>
  uncommented(line.replace(/[“”„`]/g, '"').replace(/[‘’‚]/g, "'"))

/**
 * Splits a list at its commas, and between two texts in quotes: `*.{ts,tsx}, *.js` are two. A comma in brackets or in
 * quotes does not count; quotes stay.
 */
export const splitList = (list: string): Array<string> => {
  const items = ['']
  let depth = 0
  for (const [token] of list.matchAll(TOKEN)) {
    if ('{[('.includes(token)) depth++
    if ('}])'.includes(token)) depth = Math.max(0, depth - 1)
    const isNext = QUOTED_ONE.test(token) && QUOTED_ONE.test(items.at(-1)!)
    if (isNext || token === ',' && depth === 0) items.push('')
    if (token !== ',' || depth > 0) items[items.length - 1] += token
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

/** Removes the quotes of a value, if it has any; gives `null` where they are not closed. */
export const unquoted = (text: string, escapes: Record<string, string> = {}): string | null => {
  if (!/^["']/.test(text)) return text
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')$/.exec(text) ?? []
  const unescaped = double?.replace(
    /\\(["\\/])|\\(.)/g,
    (whole, sign, letter) => sign ?? escapes[letter] ?? whole,
  )
  return unescaped ?? single?.replaceAll("''", "'") ?? null
}

// The text in the brackets of a list, such as `[a, b/[[c]]]`; those of `[ab]*.[jt]s` are not each other's.
const IN_BRACKETS = /^\[((?:[^[\]]|\[(?:[^[\]]|\[[^[\]]*\])*\])*)\]$/
// YAML's sign for a text on the lines below, an item of a list on a line of its own, and a key of a map.
export const BLOCK_TEXT = /^[|>][-+0-9]*$/
const ITEM = /^-\s*/
const MAP_KEY = /^[\w-]+:(?:\s|$)/

export const QUOTE_IT = 'put a text with # in quotes'

const isEmpty = (text: string): boolean => /^(?:~|null)?$/.test(text)

/** Lists the lines of a value that have text, as they are read, without YAML's sign for a text on the lines below. */
const linesOf = ({ value, lines }: FrontmatterEntry, read: (line: string) => string): Array<string> => {
  const [first = '', ...below] = [value, ...lines.slice(1).map(({ text }) => text)].map(read)
  return [BLOCK_TEXT.test(first) || isEmpty(first) ? '' : first, ...below].filter((line) => line !== '')
}

// How a pattern or a path ends; `**/Core` of `**/Core Data/**` is a part of one.
const PATTERN_END = /[*}/]$|\.[a-z]\w*$/i

/** Whether a text has patterns with a space between them: in `src/a b/*.ts` it is within one. */
export const isSpaced = (text: string, isGlob = true): boolean => {
  const parts = text.split(/\s+/)
  return parts.length > 1 && parts.every((part) => isGlob ? PATTERN_END.test(part) : part.includes('*'))
}

/** Removes the spaces next to the commas in braces, as in `*.{ts, tsx}`. */
const compact = (item: string): string => trimmedParts(item, ',').join(',')

// A formatter of Markdown takes stars for emphasis: two stars, a slash and a star become `\*_/_`, a star before an ending
// `_`. An editor of prose puts a space before the brace of `*.{ts,tsx}`.
/** Gives the pattern that was meant, with its stars. */
export const withStars = (glob: string): string =>
  glob.replace(/\\\*_|_\\\*|(?<=^|\/)\*_(?=\/_\.)/g, '**').replace(/(^|\/)_(?=\.|\/_\.)/g, '$1*').replace(
    /\. +(?=\{)/g,
    '.',
  )

/** Gives the items of a text that is written out without a list's brackets or marks; a quoted one may have commas. */
const itemsOf = (written: string, key: string, isOneItem: boolean): Array<string> => {
  if (/^["']/.test(written)) return splitList(unquoted(written) ?? '').map(compact)
  const item = compact(written)
  return !isOneItem && isSpaced(item, isGlobKey(key)) ? item.split(/\s+/) : [item]
}

/**
 * Reads a list of globs or names: one value, a list in brackets or with commas, or an item a line. What is quoted, or an
 * item, may have spaces.
 */
export const listOf = (entry: FrontmatterEntry): Result<Array<string> | undefined> => {
  const { key } = entry
  const lines = linesOf(entry, withoutComment)
  const whole = lines.join(' ')
  const list = IN_BRACKETS.exec(whole)?.[1]
  if (list === undefined && /^\[[^\]]*$/.test(whole)) return fail(`the list of ${key} is not closed with ]`)
  if (list === undefined && lines.some((line) => MAP_KEY.test(line))) return fail(`${key} must be a list`)
  const written = list === undefined
    ? lines.flatMap((line) =>
      splitList(line.replace(ITEM, '')).map((text) => ({ text, isItem: ITEM.test(line) }))
    )
    : splitList(list).map((text) => ({ text, isItem: true }))
  const open = written.find(({ text }) => unquoted(text) === null)?.text
  if (open !== undefined) return fail(`the quote in ${excerpt(open)} is not closed`)
  const items = written.flatMap(({ text, isItem }) => itemsOf(text, key, isItem))
  // A comment has a blank after its sign; what is all of a value or of an item may be meant.
  const isComment = (text: string) => /^#\S/.test(text.trim())
  const isLost = items.length === 0 && isComment(entry.value)
    || entry.lines.slice(1).some(({ text }) => /^\s*-\s/.test(text) && isComment(text.replace(/^\s*-/, '')))
  if (isLost) return fail(`a value of ${key} is a comment; ${QUOTE_IT}`)
  return ok(items.length === 0 && list === undefined ? undefined : items)
}

export const booleanOf = ({ key, value }: FrontmatterEntry): Result<boolean | undefined> => {
  const text = withoutComment(value)
  if (isEmpty(text)) return ok(undefined)
  const word = (unquoted(text) ?? text).toLowerCase()
  return word === 'true' || word === 'false' ? ok(word === 'true') : fail(`${key} must be true or false`)
}

/** Reads a description. It is prose and never a fault: invalid YAML is taken as written. */
export const descriptionOf = (entry: FrontmatterEntry): string | undefined => {
  const text = linesOf(entry, (line) => line.trim()).join(' ')
  return text === '' ? undefined : unquoted(text) ?? text
}
