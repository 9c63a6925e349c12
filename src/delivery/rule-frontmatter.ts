import { whyCostly } from '../instructions/glob-limits.ts'
import { type FrontmatterBlock, frontmatterEntries, type FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, reasonOf, type Result } from '../safe.ts'
import { splitGlobs } from './glob-list.ts'

/** What is wrong in a rule file's frontmatter, and on which line of the file, counted from 1. */
export type RuleFault = { line: number; reason: string }

/** The keys that hold globs: of OpenCode and Cursor, of Claude Code and Cline, of Copilot. */
const GLOB_KEYS = ['globs', 'paths', 'applyTo'] as const
/** A key that holds globs. */
export type GlobKey = (typeof GLOB_KEYS)[number]

/** What a rule's frontmatter says on its delivery. A key without a value is left out; one with an empty list is not. */
export type RuleKeys = { alwaysApply?: boolean; description?: string } & { [key in GlobKey]?: Array<string> }

/** A longer frontmatter was not written by a person. */
const MAX_CHARACTERS = 64_000

// YAML's sign for a text on the lines below: `|` or `>`, with the signs for its indent and its end.
const BLOCK_TEXT = /^\s*[|>][-+0-9]*\s*$/

// An item of a YAML list on a line of its own: `- src/**`.
const ITEM = /^\s*-(?:\s+(.*))?$/

const isGlobKey = (key: string): key is GlobKey => GLOB_KEYS.some((known) => known === key)

const isEmpty = (text: string): boolean => /^\s*(?:~|null)?\s*$/.test(text)

/** Takes the comment off a value; a `#` starts one where white space stands before it. */
const withoutComment = (text: string): string => {
  const quote = /^\s*(["'])/.exec(text)?.[1]
  const from = quote === undefined ? 0 : text.lastIndexOf(quote)
  for (let at = text.indexOf('#', from); at >= 0; at = text.indexOf('#', at + 1)) {
    if (at === 0 || /\s/.test(text[at - 1]!)) return text.slice(0, at).trim()
  }
  return text.trim()
}

/** Takes the quotes off a value, if it has any; gives `null` where they are not closed. */
const unquoted = (text: string): string | null => {
  const [quote] = text
  if (quote !== '"' && quote !== "'") return text
  if (text.length < 2 || !text.endsWith(quote)) return null
  const inner = text.slice(1, -1)
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\/])/g, '$1')
}

type Globs = Result<Array<string>, RuleFault>

/** Reads the globs of a comma-separated list, each in quotes or bare. */
const globsOfList = (list: string, line: number): Globs => {
  const globs: Array<string> = []
  for (const item of splitGlobs(list)) {
    const text = unquoted(item)
    if (text === null) return fail({ line, reason: `the quote in ${item} is not closed` })
    globs.push(...(text === item ? [item] : splitGlobs(text)))
  }
  return ok(globs)
}

/** Gives the text between the brackets of a list, such as `[a, b]`; `undefined` where a value is no list. */
const inBrackets = (text: string): string | undefined => {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined
  // `[ab]*.[jt]s` starts and ends with brackets that are not each other's.
  const inner = text.slice(1, -1)
  const closes = inner.indexOf(']')
  const opens = inner.indexOf('[')
  return closes >= 0 && (opens < 0 || closes < opens) ? undefined : inner
}

const globsOfItems = ({ key, lines: [first, ...items] }: FrontmatterEntry): Globs => {
  const globs: Array<string> = []
  for (const { number, text } of items) {
    if (withoutComment(text) === '') continue
    const item = ITEM.exec(text)
    if (!item) return fail({ line: first!.number, reason: `${key} must be a glob or a list of globs` })
    const found = globsOfList(withoutComment(item[1] ?? ''), number)
    if (found.error !== null) return found
    globs.push(...found.data)
  }
  return ok(globs)
}

const globsOfBrackets = ({ key, value, lines }: FrontmatterEntry): Globs => {
  const first = lines[0]!.number
  const text = [value, ...lines.slice(1).map((line) => line.text)].map(withoutComment).join(' ').trim()
  const list = inBrackets(text)
  if (list !== undefined) return globsOfList(list, first)
  if (lines.length > 1 || !text.includes(']')) {
    return fail({ line: lines.at(-1)!.number, reason: `the list of ${key} is not closed with ]` })
  }
  return globsOfList(text, first)
}

// A key of a map, which no glob is.
const MAP_KEY = /^\s*[\w-]+:(?:\s|$)/

/** Takes a value that stands on a line below its key, as formatters put long ones, for one beside it. */
const withValueBeside = (entry: FrontmatterEntry): FrontmatterEntry => {
  const at = entry.lines.findIndex(({ text }, index) => index > 0 && withoutComment(text) !== '')
  const below = entry.lines[at]
  if (!isEmpty(withoutComment(entry.value)) || below === undefined) return entry
  return ITEM.test(below.text) || MAP_KEY.test(below.text)
    ? entry
    : { ...entry, value: below.text, lines: entry.lines.slice(at) }
}

/** Reads the globs of one key: a value, a comma-separated list, a list in brackets, or one with an item a line. */
const globsOf = (entry: FrontmatterEntry): Globs => {
  const { key, value, lines: [first, ...more] } = entry
  const text = withoutComment(value)
  if (isEmpty(text)) return globsOfItems(entry)
  if (text.startsWith('[')) return globsOfBrackets(entry)
  if (BLOCK_TEXT.test(text)) return ok(more.flatMap((line) => splitGlobs(line.text)))
  const rest = more.filter((line) => withoutComment(line.text) !== '')
  const [stray] = rest
  const isContinued = stray !== undefined && text.endsWith(',') && !stray.text.includes('\t')
  if (stray !== undefined && !isContinued) {
    return fail({ line: stray.number, reason: `this line belongs to no key; ${key} is a glob or a list` })
  }
  return globsOfList([text, ...rest.map((line) => withoutComment(line.text))].join(' '), first!.number)
}

const toBoolean = (text: string, line: number): Result<boolean | undefined, RuleFault> => {
  if (isEmpty(text)) return ok(undefined)
  const word = (unquoted(text) ?? text).toLowerCase()
  return word === 'true' || word === 'false'
    ? ok(word === 'true')
    : fail({ line, reason: 'alwaysApply must be true or false' })
}

/** Reads a description. It is prose, and never at fault: what is no YAML (a colon, a leading `@`) is taken as it stands. */
const toDescription = ({ value, lines }: FrontmatterEntry): string => {
  const text = [BLOCK_TEXT.test(value) ? '' : value, ...lines.slice(1).map((line) => line.text)]
    .map((line) => line.trim()).filter((line) => line !== '').join(' ')
  // `"a" and "b"` starts and ends with quotes that are not each other's.
  const isQuoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/.test(text)
  return isEmpty(text) ? '' : isQuoted ? unquoted(text) ?? text : text
}

const addEntry = (keys: RuleKeys, entry: FrontmatterEntry): RuleFault | null => {
  const { key, value, lines: [first] } = entry
  const line = first!.number
  if (key === 'description') {
    keys.description = toDescription(entry)
    return null
  }
  if (key !== 'alwaysApply' && !isGlobKey(key)) return null
  if (value !== '' && !/^\s/.test(value)) {
    return { line, reason: `a key is written "${key}: value", with a space` }
  }
  if (keys[key] !== undefined) return { line, reason: `${key} is there twice` }
  if (key === 'alwaysApply') {
    const read = toBoolean(withoutComment(value), line)
    if (read.error !== null) return read.error
    if (read.data !== undefined) keys.alwaysApply = read.data
    return null
  }
  const beside = withValueBeside(entry)
  const globs = globsOf(beside)
  if (globs.error !== null) return globs.error
  for (const glob of globs.data) {
    const reason = whyCostly(glob)
    if (reason !== null) return { line, reason }
  }
  // `paths: []` says that there are none; `paths:` says nothing.
  if (globs.data.length > 0 || !isEmpty(withoutComment(beside.value))) keys[key] = globs.data
  return null
}

// The library takes quadratic time for some texts; for this much a fifth of a second.
const MAX_MAP_CHARACTERS = 8_000

/** Reads a frontmatter in braces, such as `{globs: [a, b]}`: strict YAML, by the library for it. */
const entriesOfMap = async (text: string): Promise<Result<Array<FrontmatterEntry>, RuleFault>> => {
  if (text.length > MAX_MAP_CHARACTERS) {
    const reason =
      `the frontmatter in braces has ${text.length} characters; at most ${MAX_MAP_CHARACTERS} are read`
    return fail({ line: 2, reason })
  }
  // The library is large and the form is rare. It is CommonJS, whose names a bundle finds only in a static import: that
  // stands in a file of its own.
  const { parseMap } = await import('./yaml-map.ts')
  try {
    const entries = Object.entries(parseMap(text)).map(([key, value]): FrontmatterEntry => ({
      key,
      value: ` ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      lines: [{ number: 2, text: '' }],
    }))
    return ok(entries)
  } catch (thrown) {
    return fail({ line: 2, reason: reasonOf(thrown).split('\n')[0]! })
  }
}

/**
 * Reads the keys of a rule's frontmatter that SAT goes by (rule-discovery.md, Rule File Formats). Nothing else can be at
 * fault: it may be written for another tool.
 */
export const readRuleKeys = async (block: FrontmatterBlock): Promise<Result<RuleKeys, RuleFault>> => {
  if (!block.isClosed) return fail({ line: 1, reason: 'the frontmatter is not closed with ---' })
  if (block.length > MAX_CHARACTERS) {
    const reason = `the frontmatter has ${block.length} characters; at most ${MAX_CHARACTERS} are read`
    return fail({ line: 1, reason })
  }
  const first = block.lines.find(({ text }) => withoutComment(text) !== '')
  const entries = first?.text.startsWith('{')
    ? await entriesOfMap(block.lines.map(({ text }) => text).join('\n'))
    : ok(frontmatterEntries(block.lines))
  if (entries.error !== null) return entries
  const keys: RuleKeys = {}
  for (const entry of entries.data) {
    const fault = addEntry(keys, entry)
    if (fault !== null) return fail(fault)
  }
  return ok(keys)
}
