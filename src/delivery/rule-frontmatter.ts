/**
 * Reads the header (frontmatter) of a rule file. People do not write strict YAML, so an unquoted `**` is a pattern here,
 * and a description may contain a colon.
 */
import { CHECK_KEYS, type HeaderText } from '../checks/patterns.ts'
import {
  type FrontmatterBlock,
  frontmatterEntries,
  type FrontmatterEntry,
  frontmatterOf,
} from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
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
  isSpaced,
  listOf,
  withStars,
} from './header-values.ts'
import { lateHeaderIn } from './late-header.ts'

const isCheckKey = (key: RuleKey): boolean => CHECK_KEYS.some((checkKey) => checkKey === key)

/**
 * The values of a header by key, which decide when its rule is sent and what is checked. A key without a value is left
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
  /** The fault of its checks. The rule is sent anyway. */
  checkFault?: HeaderFault
  /** The keys that SAT does not read, and whether they limit a rule in another tool. */
  unread: Array<{ key: string; line: number; isLimiting: boolean }>
  /** Notes for the person. */
  notes: Array<string>
}

/** The contents of a rule file: its header, and its text below the header. */
export type RuleText = Header & { body: string }

const valueOf = (entry: FrontmatterEntry, key: RuleKey, isRepeated: boolean): Result<unknown> => {
  const { value } = entry
  if (key === 'description') return ok(descriptionOf(entry))
  if (value !== '' && !/^\s/.test(value)) return fail(`a key is written "${key}: value", with a space`)
  if (isRepeated) return fail(`${key} occurs twice`)
  if (isCheckKey(key)) return textsOf({ ...entry, key })
  return key === 'alwaysApply' ? booleanOf({ ...entry, key }) : listOf({ ...entry, key })
}

/** Corrects the stars of globs. Notes the first corrected glob, and the first whose spaces may be meant as separators. */
const correctGlobs = (globs: Array<string>): { globs: Array<string>; notes: Array<string> } => {
  const corrected = globs.map(withStars)
  const changed = globs.findIndex((glob, index) => glob !== corrected[index])
  const spaced = corrected.find((glob) => isSpaced(glob))
  return {
    globs: corrected,
    notes: [
      ...(changed < 0 ? [] : [`${excerpt(globs[changed]!)} is read as ${excerpt(corrected[changed]!)}`]),
      ...(spaced === undefined
        ? []
        : [`the space is a part of the pattern ${excerpt(spaced)}; write a comma between two patterns`]),
    ],
  }
}

/** Notes a pattern between slashes, as in JavaScript, unless a `bad` example proves that the slashes belong to it. */
const slashNote = ({ forbid = [], require = [], bad }: RuleKeys): Array<string> => {
  const slashed = bad ? undefined : [...forbid, ...require].find(({ text }) => /^\/.+\/[a-z]*$/.test(text))
  return slashed ? [`the slashes are a part of the pattern ${excerpt(slashed.text)}`] : []
}

/** Reads the entries of a header. Fails if it is unclear when to send the rule. */
const readEntries = (entries: Array<FrontmatterEntry>): Result<Header, HeaderFault> => {
  const header: Header = { keys: {}, lines: {}, unread: [], notes: [] }
  const { keys, lines, unread, notes } = header
  for (const found of entries) {
    const line = found.lines[0]!.number
    const translated = translatedEntry(found)
    // If the header also has SAT's own key for the same, that key counts.
    if (translated && entries.some(({ key }) => key === translated.key)) continue
    const entry = translated ?? found
    const known = ruleKeyOf(entry.key)
    const key = known ?? similarKeyOf(entry.key)
    if (key === undefined) {
      if (unread.every(({ key }) => key !== entry.key)) {
        unread.push({ key: entry.key, line, isLimiting: isLimiting(entry) })
      }
      continue
    }
    const { data, error } = known
      ? valueOf(entry, known, keys[known] !== undefined)
      : fail(`there is no key ${excerpt(entry.key)}; did you mean ${key}?`)
    if (error !== null) {
      if (!isCheckKey(key)) return fail({ line, reason: error })
      header.checkFault ??= { line, reason: error }
    } else if (data !== undefined) {
      Object.assign(keys, { [key]: data })
      lines[key] = line
    }
  }
  for (const key of GLOB_KEYS) {
    if (!keys[key]) continue
    const corrected = correctGlobs(keys[key])
    keys[key] = corrected.globs
    notes.push(...corrected.notes)
  }
  notes.push(...slashNote(keys))
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

/**
 * Reads the text of a rule file. Fails with a line and a reason if its header does not say clearly when to send the
 * rule.
 */
export const readHeader = (text: string): Result<RuleText, HeaderFault> => {
  const plain = withoutBom(text)
  const block = frontmatterOf(plain)
  const fault = block && blockFault(block)
  if (fault) return fail(fault)
  const header = readEntries(block ? frontmatterEntries(block.lines) : [])
  if (header.error !== null) return header
  const lateHeader = lateHeaderIn(plain, block ? block.lines.length + 3 : 1)
  if (lateHeader !== undefined) {
    header.data.notes.push(
      `a header must begin with --- on line 1; the one on line ${lateHeader} is not read`,
    )
  }
  return ok({ ...header.data, body: plain.slice(block?.length ?? 0).trim() })
}
