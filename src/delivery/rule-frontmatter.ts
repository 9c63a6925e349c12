/**
 * What the frontmatter of a rule file, its header, says. It is read as people write it, not as YAML: an unquoted `**` is
 * a pattern, and a colon in a description is a colon.
 */
import leven from 'leven'
import { CHECK_KEYS, type HeaderText } from '../checks/patterns.ts'
import { frontmatterEntries, type FrontmatterEntry, frontmatterOf } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import { withoutBom } from '../text/read.ts'
import { CONDITION_KEYS } from './conditions.ts'
import { textsOf } from './header-texts.ts'
import {
  booleanOf,
  descriptionOf,
  GLOB_KEYS,
  isSpaced,
  listOf,
  withoutComment,
  withStars,
} from './header-values.ts'
import { isLimiting, ownPairOf } from './keys-of-other-tools.ts'
import { lateHeaderIn } from './late-header.ts'

const KEYS = [...GLOB_KEYS, ...CONDITION_KEYS, 'keywords', 'alwaysApply', ...CHECK_KEYS] as const
// `bad` and `require` are near to keys that people have for themselves, such as `tag` and `required`.
const MISSPELT = [...GLOB_KEYS, 'agents', 'alwaysApply', 'forbid'] as const
const isRead = (key: string): boolean => key === 'description' || KEYS.some((one) => one === key)
const isCheckKey = (key: string | undefined): boolean => CHECK_KEYS.some((one) => one === key)

/**
 * The keys of a header: they decide when its rule is sent, and what is checked. A key without a value is left out, one with
 * `[]` is kept.
 */
export type RuleKeys =
  & { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }
  & { alwaysApply?: boolean; description?: string }
  & { [key in (typeof GLOB_KEYS | typeof CONDITION_KEYS)[number] | 'keywords']?: Array<string> }

/** Gives the key that a word is, or that it may be misspelt for: `glob` and `applies_to` are, `global` is not. */
const meantBy = (word: string): (typeof KEYS)[number] | undefined => {
  const letters = word.toLowerCase().replace(/[_-]/g, '')
  const isNear = (one: string): boolean => leven(one.toLowerCase(), letters) <= (one.length > 6 ? 3 : 1)
  return KEYS.find((one) => one === word) ?? MISSPELT.find(isNear)
}

const valueOf = (entry: FrontmatterEntry, keys: RuleKeys): Result<unknown> => {
  const { key, value } = entry
  if (key === 'description') return ok(descriptionOf(entry))
  const known = KEYS.find((one) => one === key)
  if (known === undefined) {
    const meant = meantBy(key)
    return meant ? fail(`there is no key ${excerpt(key)}; did you mean ${meant}?`) : ok(undefined)
  }
  if (value !== '' && !/^\s/.test(value)) return fail(`a key is written "${key}: value", with a space`)
  if (keys[known] !== undefined) return fail(`${key} is there twice`)
  if (isCheckKey(known)) return textsOf(entry)
  return known === 'alwaysApply' ? booleanOf(entry) : listOf(entry)
}

/** Gives globs as they were meant, and notes those that are read otherwise than they are written, or match nothing. */
const asMeant = (globs: Array<string>): { globs: Array<string>; notes: Array<string> } => {
  const meant = globs.map(withStars)
  const changed = globs.findIndex((glob, index) => glob !== meant[index])
  const spaced = meant.find((glob) => isSpaced(glob))
  return {
    globs: meant,
    notes: [
      ...(changed < 0 ? [] : [`${excerpt(globs[changed]!)} is read as ${excerpt(meant[changed]!)}`]),
      ...(spaced === undefined
        ? []
        : [`the space is a part of the pattern ${excerpt(spaced)}; write a comma between two patterns`]),
    ],
  }
}

const SINGULAR = new Map([...CONDITION_KEYS, 'keywords'].map((key) => [key.replace(/e?s$/, ''), key]))

/** Gives an entry by the key that its own stands for. What another tool's key says twice counts once. */
const withOwnKey = (entry: FrontmatterEntry, written: ReadonlySet<string>): FrontmatterEntry | null => {
  const meant = SINGULAR.get(entry.key)
  if (meant) return { ...entry, key: meant }
  const pair = ownPairOf(entry)
  return pair ? written.has(pair.key) ? null : { ...entry, ...pair } : entry
}

/** What is wrong with a header, and on which line. */
export type HeaderFault = { line: number; reason: string }
type Lines = Record<string, number>

/**
 * What a rule file says: its keys and their lines, its text below the header, and what is wrong with what it says about
 * checking, which does not concern when it is sent.
 */
export type RuleText = {
  keys: RuleKeys
  lines: Lines
  body: string
  checkFault?: HeaderFault
  /** The keys that nothing reads, and whether they limit a rule in another tool. */
  unread: Array<{ key: string; line: number; isLimiting: boolean }>
  /** What the person should know of its patterns. */
  notes: Array<string>
  /** The line on which a header begins that is not the first. */
  lateHeader?: number | undefined
}

// A larger one was not written by hand.
const MAX_HEADER = 8_192

/** Reads the header of a rule file; gives what is wrong, and on which line, where it does not say when to send the rule. */
export const readHeader = (text: string): Result<RuleText, HeaderFault> => {
  const plain = withoutBom(text)
  const block = frontmatterOf(plain)
  const lateHeader = lateHeaderIn(plain, block ? block.lines.length + 3 : 1)
  if (block === null) {
    return ok({ keys: {}, lines: {}, body: plain.trim(), unread: [], notes: [], lateHeader })
  }
  if (block.length > MAX_HEADER) {
    return fail({
      line: 1,
      reason: `a header has at most ${MAX_HEADER} characters, this one has ${block.length}`,
    })
  }
  if (!block.isClosed) return fail({ line: 1, reason: 'the frontmatter is not closed with ---' })
  const first = block.lines.find(({ text }) => withoutComment(text) !== '')
  if (first?.text.startsWith('{')) {
    return fail({ line: first.number, reason: 'a header has a key a line, without braces' })
  }
  const body = plain.slice(block.length).trim()
  const read: RuleText = { keys: {}, lines: {}, body, unread: [], notes: [], lateHeader }
  const entries = frontmatterEntries(block.lines)
  const written = new Set(entries.map(({ key }) => key))
  for (const found of entries) {
    const entry = withOwnKey(found, written)
    const line = found.lines[0]!.number
    if (entry === null) continue
    const value = valueOf(entry, read.keys)
    if (value.error !== null) {
      const fault = { line, reason: value.error }
      if (!isCheckKey(meantBy(entry.key))) return fail(fault)
      read.checkFault ??= fault
      continue
    }
    const { key } = entry
    if (!isRead(key) && !read.unread.some((one) => one.key === key)) {
      read.unread.push({ key, line, isLimiting: isLimiting(found) })
    }
    if (value.data === undefined) continue
    Object.assign(read.keys, { [entry.key]: value.data })
    read.lines[entry.key] = line
  }
  for (const key of GLOB_KEYS) {
    const written = read.keys[key]
    if (!written) continue
    const { globs, notes } = asMeant(written)
    read.keys[key] = globs
    read.notes.push(...notes)
  }
  return ok(read)
}
