/** Reads the values of a rule file's header: lists, booleans and descriptions, also where they are not valid YAML. */
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import { trimmedParts } from '../text/trimmed-parts.ts'

/** The keys that hold globs: `globs` in OpenCode and Cursor, `paths` in Claude Code and Cline, `applyTo` in Copilot. */
export const GLOB_KEYS = ['globs', 'paths', 'applyTo'] as const

// A quoted text at the start of a value: at the beginning, or after whitespace, a comma, a colon or a bracket.
export const QUOTED = /(?<=^|[\s,[:{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.source
// The parts of a list: a quoted text, a word without punctuation, or any other character.
const TOKEN = new RegExp(`${QUOTED}|[^"'\\s,:[\\]{}()]+|[^]`, 'g')
// A text in quotes, such as `'a b'`, and possibly spaces around it.
const ONE_QUOTED = /^\s*(["'])[^]*\1\s*$/
// A quoted text, which is kept, or a comment.
const COMMENT = new RegExp(`(${QUOTED})|(?:^|\\s)#.*`, 'g')

/** Removes the comment of a line. A `#` starts a comment at the beginning of the line or after whitespace. */
export const uncommented = (line: string): string =>
  line.replace(COMMENT, (_, quoted: string | undefined) => quoted ?? '').trim()

/** Removes the comment of a line, and replaces backticks and the curly quotes of a word processor with plain quotes. */
export const cleanLine = (line: string): string =>
  uncommented(line.replace(/[“”„`]/g, '"').replace(/[‘’‚]/g, "'"))

/**
 * Splits a list at its commas, and between two quoted texts. Keeps the quotes. A comma inside brackets or quotes does
 * not separate items: `*.{ts,tsx}, *.js` has two items.
 */
export const splitList = (list: string): Array<string> => {
  const items = ['']
  let depth = 0
  for (const [token] of list.matchAll(TOKEN)) {
    if ('{[('.includes(token)) depth++
    if ('}])'.includes(token)) depth = Math.max(0, depth - 1)
    const isBetweenQuoted = ONE_QUOTED.test(token) && ONE_QUOTED.test(items.at(-1)!)
    if (isBetweenQuoted || token === ',' && depth === 0) items.push('')
    if (token !== ',' || depth > 0) items[items.length - 1] += token
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

/**
 * Removes the quotes around a text that starts with a quote; returns `null` if the text does not end where they close.
 *
 * @param escapes maps a letter after a backslash in double quotes to its meaning; before other letters, `\` is kept
 */
export const unquoted = (text: string, escapes: Record<string, string> = {}): string | null => {
  if (!/^["']/.test(text)) return text
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')$/.exec(text) ?? []
  const unescaped = double?.replace(
    /\\(["\\/])|\\(.)/g,
    (whole, sign, letter) => sign ?? escapes[letter] ?? whole,
  )
  return unescaped ?? single?.replaceAll("''", "'") ?? null
}

// A list in brackets, such as `[a, b/[[c]]]`. `[ab]*.[jt]s` is no list: its first and last bracket are not a pair.
const IN_BRACKETS = /^\[((?:[^[\]]|\[(?:[^[\]]|\[[^[\]]*\])*\])*)\]$/
// YAML's sign for a block text, which follows on the lines below: `|`, `>-`.
export const BLOCK_SIGN = /^[|>][-+0-9]*$/
// The `-` of a list item, and a key of a map: `a: b`.
const ITEM = /^-\s*/
const MAP_KEY = /^[\w-]+:(?:\s|$)/

export const QUOTE_IT = 'put a text with # in quotes'

const isEmpty = (text: string): boolean => /^(?:~|null)?$/.test(text)

/**
 * Cleans each line of a value, and returns the lines that are not empty then. Drops a first line that is only `~`,
 * `null` or the sign for a block text.
 */
const filledLines = ({ value, lines }: FrontmatterEntry, clean: (line: string) => string): Array<string> => {
  const [first = '', ...below] = [value, ...lines.slice(1).map(({ text }) => text)].map(clean)
  return [BLOCK_SIGN.test(first) || isEmpty(first) ? '' : first, ...below].filter((line) => line !== '')
}

// The end of a pattern or path for files. `**/Core`, the first word of `**/Core Data/**`, does not match.
const FILE_PATTERN_END = /[*}/]$|\.[a-z]\w*$/i

/**
 * Whether the spaces in a text separate patterns, as in `*.ts *.js`. In `src/a b/*.ts`, the space is part of a pattern.
 *
 * @param isForFiles whether the patterns are for files; others, such as for models, are recognized by a star
 */
export const isSpacedList = (text: string, isForFiles = true): boolean => {
  const parts = text.split(/\s+/)
  const isPattern = (part: string) => isForFiles ? FILE_PATTERN_END.test(part) : part.includes('*')
  return parts.length > 1 && parts.every(isPattern)
}

/** Removes the spaces next to commas: `*.{ts, tsx}` becomes `*.{ts,tsx}`. */
const compact = (item: string): string => trimmedParts(item, ',').join(',')

/**
 * Restores a glob that an editor changed. A Markdown formatter mistakes stars for emphasis: two stars, a slash and a
 * star become `\*_/_`, and a star before a file extension becomes `_`. A word processor inserts a space before the
 * brace of `*.{ts,tsx}`.
 */
export const withStars = (glob: string): string =>
  glob.replace(/\\\*_|_\\\*|(?<=^|\/)\*_(?=\/_\.)/g, '**')
    .replace(/(^|\/)_(?=\.|\/_\.)/g, '$1*')
    .replace(/\. +(?=\{)/g, '.')

/**
 * Splits one text of a list into items: a text in quotes at its commas, another text at the spaces between patterns.
 * In brackets and after the `-` of an item, spaces do not separate patterns (`keepsSpaces`).
 */
const itemsOf = (text: string, key: string, keepsSpaces: boolean): Array<string> => {
  if (/^["']/.test(text)) return splitList(unquoted(text) ?? '').map(compact)
  const item = compact(text)
  const isForFiles = GLOB_KEYS.some((globKey) => globKey === key)
  return !keepsSpaces && isSpacedList(item, isForFiles) ? item.split(/\s+/) : [item]
}

// A comment without a space after its `#`, such as `#bug`, may be meant as the whole value, or as a list item.
const MAYBE_VALUE = /^\s*#\S/
const MAYBE_ITEM = /^\s*-\s+#\S/

/**
 * Reads a list of globs or names: one value, a list in brackets or with commas, or one item per line. A quoted text and
 * a list item may contain spaces. Returns undefined for an empty value, and an empty list for empty brackets.
 */
export const listOf = (entry: FrontmatterEntry): Result<Array<string> | undefined> => {
  const { key } = entry
  const lines = filledLines(entry, cleanLine)
  const whole = lines.join(' ')
  const inBrackets = IN_BRACKETS.exec(whole)?.[1]
  const isBracketList = inBrackets !== undefined
  if (!isBracketList) {
    if (/^\[[^\]]*$/.test(whole)) return fail(`the list of ${key} is not closed with ]`)
    if (lines.some((line) => MAP_KEY.test(line))) return fail(`${key} must be a list`)
  }
  const items: Array<string> = []
  for (const line of isBracketList ? [inBrackets] : lines) {
    const keepsSpaces = isBracketList || ITEM.test(line)
    for (const text of splitList(isBracketList ? line : line.replace(ITEM, ''))) {
      if (unquoted(text) === null) return fail(`the quote in ${excerpt(text)} is not closed`)
      items.push(...itemsOf(text, key, keepsSpaces))
    }
  }
  const isCommented = items.length === 0 && MAYBE_VALUE.test(entry.value)
    || entry.lines.slice(1).some(({ text }) => MAYBE_ITEM.test(text))
  if (isCommented) return fail(`a value of ${key} is a comment; ${QUOTE_IT}`)
  return ok(items.length === 0 && !isBracketList ? undefined : items)
}

/** Reads `true` or `false`; undefined if the value is empty. */
export const booleanOf = ({ key, value }: FrontmatterEntry): Result<boolean | undefined> => {
  const text = cleanLine(value)
  if (isEmpty(text)) return ok(undefined)
  const word = (unquoted(text) ?? text).toLowerCase()
  return word === 'true' || word === 'false' ? ok(word === 'true') : fail(`${key} must be true or false`)
}

/** Reads a description. Never fails: prose that is invalid YAML is used as written. */
export const descriptionOf = (entry: FrontmatterEntry): string | undefined => {
  const text = filledLines(entry, (line) => line.trim()).join(' ')
  return text === '' ? undefined : unquoted(text) ?? text
}
