/** Reads lists, booleans and descriptions of a header, even from some invalid YAML, such as an unquoted `*.ts`. */
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'

/** The keys that hold globs: `globs` in OpenCode and Cursor, `paths` in Claude Code and Cline, `applyTo` in Copilot. */
export const GLOB_KEYS = ['globs', 'paths', 'applyTo'] as const

export const QUOTE_IT = 'put a text with # in quotes'

// Matches `[a, b/[[c]]]`, but not `[ab]*.[jt]s`, whose first and last bracket are not a pair.
const IN_BRACKETS = /^\[((?:[^[\]]|\[(?:[^[\]]|\[[^[\]]*\])*\])*)\]$/
const OPEN_BRACKET = /^\[[^\]]*$/ // `[a, b`
export const MAP_KEY = /^(?:\{\s*)?[\w-]+:(?:\s|$)/ // `include: src`, `{ include: src }`
const ITEM = /^-\s*/ // `- a`

/** Reads a list (`a, b`, `[a, b]` or items `- a`), or returns undefined if there is no value. */
export const listOf = (entry: FrontmatterEntry): Result<Array<string> | undefined> => {
  const { key } = entry
  const lines = filledLines(entry, cleanLine)
  const whole = lines.join(' ')
  const inBrackets = IN_BRACKETS.exec(whole)?.[1]
  const isBare = inBrackets === undefined
  if (isBare && OPEN_BRACKET.test(whole)) return fail(`the list of ${key} is not closed with ]`)
  if (isBare && lines.some((line) => MAP_KEY.test(line))) return fail(`${key} must be a list`)
  const parts = isBare
    ? lines.flatMap(partsOfLine)
    : splitList(inBrackets).map((text) => ({ text, keepsSpaces: true }))
  const badlyQuoted = parts.find(({ text }) => unquoted(text) === null)
  if (badlyQuoted) return fail(`the quote in ${excerpt(badlyQuoted.text)} is not closed`)
  const items = parts.flatMap((part) => itemsOf(part, key))
  if (hasDoubtfulComment(entry, items)) return fail(`a value of ${key} is a comment; ${QUOTE_IT}`)
  return ok(isBare && items.length === 0 ? undefined : items)
}

// `- #bug`, or `keywords: #bug` without items
const hasDoubtfulComment = ({ value, lines }: FrontmatterEntry, items: Array<string>): boolean =>
  (items.length === 0 && /^\s*#\S/.test(value)) || lines.slice(1).some(({ text }) => /^\s*-\s+#\S/.test(text))

// In brackets and after a `-`, spaces do not separate items.
type ListPart = { text: string; keepsSpaces: boolean }

const partsOfLine = (line: string): Array<ListPart> =>
  splitList(line.replace(ITEM, '')).map((text) => ({ text, keepsSpaces: ITEM.test(line) }))

const itemsOf = ({ text, keepsSpaces }: ListPart, key: string): Array<string> => {
  if (/^["']/.test(text)) return splitList(unquoted(text) ?? '').map(compact)
  const item = compact(text)
  const isForFiles = GLOB_KEYS.some((globKey) => globKey === key)
  return !keepsSpaces && isSpacedList(item, isForFiles) ? item.split(/\s+/) : [item]
}

// `*.{ts, tsx}` → `*.{ts,tsx}`
const compact = (item: string): string => item.split(',').map((part) => part.trim()).join(',')

// Does not match `**/Core`, so that `**/Core Data/**` is not split.
const FILE_PATTERN_END = /[*}/]$|\.[a-z]\w*$/i

/** Whether a text is a list of patterns with spaces between them: `*.ts *.js` is, `src/a b/*.ts` is not. */
export const isSpacedList = (text: string, isForFiles = true): boolean => {
  const words = text.split(/\s+/)
  // In a list of names, such as models, only a word with a star is a pattern.
  const isPattern = (word: string) => isForFiles ? FILE_PATTERN_END.test(word) : word.includes('*')
  return words.length > 1 && words.every(isPattern)
}

export const booleanOf = (entry: FrontmatterEntry): Result<boolean | undefined> => {
  const text = filledLines(entry, cleanLine)[0]?.replace(ITEM, '') ?? ''
  if (isEmpty(text)) return ok(undefined)
  const word = (unquoted(text) ?? text).toLowerCase()
  return /^(?:true|false)$/.test(word) ? ok(word === 'true') : fail(`${entry.key} must be true or false`)
}

/** Never fails, because a description that is invalid YAML is used as written. */
export const descriptionOf = (entry: FrontmatterEntry): string | undefined => {
  const text = filledLines(entry, (line) => line.trim()).join(' ')
  return text === '' ? undefined : unquoted(text) ?? text
}

/** YAML's sign (`|`, `>-`) before a block text on the next lines. */
export const BLOCK_SIGN = /^[|>][-+0-9]*$/

/** Whether YAML reads a text as no value: an empty text, `~` or `null`. */
export const isEmpty = (text: string): boolean => /^(?:~|null)?$/.test(text)

const filledLines = ({ value, lines }: FrontmatterEntry, clean: (line: string) => string): Array<string> => {
  const first = clean(value)
  const below = lines.slice(1).map(({ text }) => clean(text)).filter((line) => line !== '')
  return BLOCK_SIGN.test(first) || isEmpty(first) ? below : [first, ...below]
}

/** The source of a regex for a quoted text, which finds nothing between the apostrophes of `it's, that's`. */
export const QUOTED = /(?<=^|[\s,[:{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.source

const QUOTED_OR_COMMENT = new RegExp(`(${QUOTED})|(?:^|\\s)#.*`, 'g')

/** Removes a comment, from a `#` at the start or after whitespace to the end of the line. */
export const uncommented = (line: string): string =>
  line.replace(QUOTED_OR_COMMENT, (_, quoted: string | undefined) => quoted ?? '').trim()

/** Removes the comment, and replaces backticks and a word processor's curly quotes with plain quotes. */
export const cleanLine = (line: string): string =>
  uncommented(line.replace(/[“”„`]/g, '"').replace(/[‘’‚]/g, "'"))

// `"a b",c\(` → `"a b"`, `,`, `c`, `\(`
const TOKEN = new RegExp(`${QUOTED}|\\\\.|[^"'\\s,:[\\]{}()\\\\]+|[^]`, 'g')
const ONE_QUOTED = /^\s*(["'])[^]*\1\s*$/

/** Splits a list at commas and between quoted texts: `"a" 'b, c', {d,e}` → `"a"`, `'b, c'` and `{d,e}`. */
export const splitList = (list: string): Array<string> => {
  const parts = ['']
  let depth = 0
  for (const [token] of list.matchAll(TOKEN)) {
    if ('{[('.includes(token)) depth++
    if ('}])'.includes(token)) depth = Math.max(0, depth - 1)
    const isSeparator = token === ',' && depth === 0
    const isBetweenQuoted = ONE_QUOTED.test(token) && ONE_QUOTED.test(parts.at(-1)!)
    if (isSeparator || isBetweenQuoted) parts.push('')
    if (!isSeparator) parts[parts.length - 1] += token
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** Removes the quotes around a text, or returns null if a quote is closed too early or not at all. */
export const unquoted = (text: string, escapes: Record<string, string> = {}): string | null => {
  if (text.startsWith("'")) return /^'((?:[^']|'')*)'$/.exec(text)?.[1]?.replaceAll("''", "'") ?? null
  if (!text.startsWith('"')) return text
  const inQuotes = /^"((?:[^"\\]|\\.)*)"$/.exec(text)?.[1]
  const signs: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', ...escapes }
  return inQuotes?.replace(/\\(.)/g, (whole, letter: string) => signs[letter] ?? whole) ?? null
}

/** Restores a glob in which a Markdown formatter mistook stars for emphasis, or a word processor inserted a space. */
export const withStars = (glob: string): string =>
  glob
    // `\*_/_.ts`, `_\*/_.ts`, `*_/_.ts` → `**/_.ts`
    .replace(/\\\*_|_\\\*|(?<=^|\/)\*_(?=\/_\.)/g, '**')
    // `**/_.ts` → `**/*.ts`
    .replace(/(^|\/)_(?=\.|\/_\.)/g, '$1*')
    // `*. {ts,tsx}` → `*.{ts,tsx}`
    .replace(/\. +(?=\{)/g, '.')
