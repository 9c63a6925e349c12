/**
 * Reads the header (frontmatter) of a rule file. People do not write strict YAML, so an unquoted `**` is a pattern
 * here, and a description may contain a colon.
 */
import { CHECK_KEYS, type HeaderText } from '../checks/patterns.ts'
import {
  type FrontmatterBlock,
  frontmatterEntries,
  type FrontmatterEntry,
  frontmatterOf,
} from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { excerpt } from '../text/quoted-name.ts'
import { withoutBom } from '../text/read.ts'
import type { CONDITION_KEYS } from './conditions.ts'
import { isLimiting, type RuleKey, ruleKeyOf, similarKeyOf, translatedEntry } from './header-keys.ts'
import { textsOf } from './header-texts.ts'
import {
  booleanOf,
  cleanLine,
  descriptionOf,
  GLOB_KEYS,
  isSpacedList,
  listOf,
  withStars,
} from './header-values.ts'

const isCheckKey = (key: RuleKey): boolean => CHECK_KEYS.some((checkKey) => checkKey === key)

/**
 * The values of a header by key. They decide when its rule is sent and what is checked. A key without a value is left
 * out; a key with `[]` is kept.
 */
export type RuleKeys =
  & { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }
  & { alwaysApply?: boolean; description?: string }
  & { [key in (typeof GLOB_KEYS | typeof CONDITION_KEYS)[number] | 'keywords']?: Array<string> }

/** A fault of a header, and its line. */
type HeaderFault = { line: number; reason: string }

/** The contents of a header. */
type Header = {
  keys: RuleKeys
  /** The line number of each key. */
  lines: Record<string, number>
  /** The first fault in the keys of the checks. The rule is sent anyway. */
  checkFault?: HeaderFault
  /** The keys that SAT does not read, and whether they limit a rule in another tool. */
  unread: Array<{ key: string; line: number; isLimiting: boolean }>
  /** Notes for the person. */
  notes: Array<string>
}

/** The contents of a rule file: its header, and its text below the header. */
export type RuleText = Header & { body: string }

/**
 * Reads the value of an entry whose key means `key`; undefined if it is empty. Fails if it is malformed or repeated.
 */
const valueOf = (entry: FrontmatterEntry, key: RuleKey, isRepeated: boolean): Result<unknown> => {
  const { value } = entry
  if (key === 'description') return ok(descriptionOf(entry))
  if (value !== '' && !/^\s/.test(value)) return fail(`a key is written "${key}: value", with a space`)
  if (isRepeated) return fail(`${key} occurs twice`)
  if (isCheckKey(key)) return textsOf({ ...entry, key })
  return key === 'alwaysApply' ? booleanOf({ ...entry, key }) : listOf({ ...entry, key })
}

/** Corrects the stars of globs. Notes the first corrected glob of each key, and the first that may be several globs. */
const correctGlobs = ({ keys, notes }: Header): void => {
  for (const key of GLOB_KEYS) {
    const written = keys[key]
    if (!written) continue
    const globs = keys[key] = written.map(withStars)
    const changed = globs.findIndex((glob, index) => glob !== written[index])
    if (changed >= 0) notes.push(`${excerpt(written[changed]!)} is read as ${excerpt(globs[changed]!)}`)
    const spaced = globs.find((glob) => isSpacedList(glob))
    if (spaced === undefined) continue
    notes.push(
      `the space is a part of the pattern ${excerpt(spaced)}; write a comma between two patterns`,
    )
  }
}

/** Notes a pattern between slashes, as in JavaScript, unless a `bad` example proves that the slashes belong to it. */
const noteSlashes = ({ keys: { forbid = [], require = [], bad }, notes }: Header): void => {
  const slashed = [...forbid, ...require].find(({ text }) => /^\/.+\/[a-z]*$/.test(text))
  if (slashed && !bad) notes.push(`the slashes are a part of the pattern ${excerpt(slashed.text)}`)
}

/** Reads the entries of a header. Fails if it is unclear when to send the rule. */
const readEntries = (entries: Array<FrontmatterEntry>): Result<Header, HeaderFault> => {
  const header: Header = { keys: {}, lines: {}, unread: [], notes: [] }
  const { keys, lines, unread } = header
  for (const written of entries) {
    const translated = translatedEntry(written)
    // If the header also has SAT's own key for the same, that key counts.
    if (translated && entries.some(({ key }) => key === translated.key)) continue
    const entry = translated ?? written
    const line = entry.lines[0]!.number
    const key = ruleKeyOf(entry.key)
    const meantKey = key ?? similarKeyOf(entry.key)
    if (meantKey === undefined) {
      const isRepeated = unread.some((other) => other.key === entry.key)
      if (!isRepeated) unread.push({ key: entry.key, line, isLimiting: isLimiting(entry) })
      continue
    }
    const { data, error } = key
      ? valueOf(entry, key, keys[key] !== undefined)
      : fail(`there is no key ${excerpt(entry.key)}; did you mean ${meantKey}?`)
    if (error !== null) {
      if (!isCheckKey(meantKey)) return fail({ line, reason: error })
      header.checkFault ??= { line, reason: error }
    } else if (data !== undefined) {
      Object.assign(keys, { [meantKey]: data })
      lines[meantKey] = line
    }
  }
  correctGlobs(header)
  noteSlashes(header)
  return ok(header)
}

// Nobody writes a longer header by hand.
const MAX_LENGTH = 8_192

/** Returns the fault of a header as a whole: it is too long, not closed, or in braces; null if there is none. */
const blockFault = ({ lines, length, isClosed }: FrontmatterBlock): HeaderFault | null => {
  if (length > MAX_LENGTH) {
    return { line: 1, reason: `a header has at most ${MAX_LENGTH} characters, this one has ${length}` }
  }
  if (!isClosed) return { line: 1, reason: 'the frontmatter is not closed with ---' }
  const first = lines.find(({ text }) => cleanLine(text) !== '')
  return first?.text.startsWith('{')
    ? { line: first.number, reason: 'a header has one key per line, without braces' }
    : null
}

// A late header is searched for in this many lines and characters of a file.
const MAX_SEARCHED_LINES = 100
const MAX_SEARCHED_LENGTH = 16_384
// A line of dashes that may open a header: `---`, also indented, longer, after an invisible character, or `--- yaml`.
const OPENING_DASHES = /^[^\w-]{0,8}-{3,} ?\w*\s*$/

/** Whether the lines below a `---` are a closed header with a key that SAT or another tool reads. */
const isHeader = (lines: Array<string>): boolean => {
  const block = frontmatterOf(['---', ...lines].join('\n'))
  return block?.isClosed === true
    && frontmatterEntries(block.lines).some((entry) =>
      ruleKeyOf(entry.key) !== undefined || translatedEntry(entry) !== undefined || isLimiting(entry)
    )
}

/**
 * Finds a late header, which does not begin on the first line of a rule file but, for example, below a licence or in a
 * code fence around the whole file. In any other fence, a header is an example. A late header is noted, but not read.
 *
 * @param first the number of the line to start with: the first line below the header, or 1 if the file has no header
 * @returns the line number of the late header; undefined if there is none
 */
const lateHeaderIn = (text: string, first: number): number | undefined => {
  const lines = withLineFeeds(text.slice(0, MAX_SEARCHED_LENGTH)).split('\n').slice(0, MAX_SEARCHED_LINES)
  let fence: string | undefined
  let isFirstLine = true
  for (const [index, line] of lines.entries()) {
    if (index + 1 < first || line.trim() === '') continue
    if (fence === undefined && OPENING_DASHES.test(line) && isHeader(lines.slice(index + 1))) return index + 1
    const mark = /^\s*(```|~~~)/.exec(line)?.[1]
    if (mark === fence) fence = undefined
    // A fence on the first line may be around the whole file, so it does not count.
    else if (!isFirstLine) fence ??= mark
    isFirstLine = false
  }
  return undefined
}

/**
 * Reads the text of a rule file: its header, and the body below. Fails with a line and a reason if the header does not
 * say clearly when to send the rule.
 */
export const readHeader = (text: string): Result<RuleText, HeaderFault> => {
  const plain = withoutBom(text)
  const block = frontmatterOf(plain)
  const fault = block && blockFault(block)
  if (fault) return fail(fault)
  const header = readEntries(block ? frontmatterEntries(block.lines) : [])
  if (header.error !== null) return header
  // Two more lines are the `---` above and below the lines of the block.
  const firstBodyLine = block ? block.lines.length + 3 : 1
  const lateHeader = lateHeaderIn(plain, firstBodyLine)
  if (lateHeader !== undefined) {
    header.data.notes.push(
      `a header must begin with --- on line 1; the one on line ${lateHeader} is not read`,
    )
  }
  return ok({ ...header.data, body: plain.slice(block?.length ?? 0).trim() })
}
