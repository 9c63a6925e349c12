/** Reads a rule file: the header between two `---` lines, even if it is invalid YAML, and the rule below. */
import { posix } from 'node:path'
import { CHECK_KEYS, type HeaderText } from '../checks/patterns.ts'
import {
  BLANK_LINE,
  blockAtStart,
  type FrontmatterBlock,
  type FrontmatterEntry,
  frontmatterOf,
  splitEntries,
} from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { hiddenCharacters } from '../text/hidden-characters.ts'
import { excerpt } from '../text/quoted-name.ts'
import { withoutBom } from '../text/read.ts'
import type { CONDITION_KEYS } from './conditions.ts'
import {
  isHeaderEntry,
  isLimiting,
  type RuleKey,
  ruleKeyOf,
  similarKeyOf,
  translatedEntry,
} from './header-keys.ts'
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
import { lateHeaderIn } from './late-header.ts'

/** A key with the value `[]` is kept, and a key without a value is left out. */
export type RuleKeys =
  & { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }
  & { alwaysApply?: boolean; description?: string }
  & { [key in (typeof GLOB_KEYS | typeof CONDITION_KEYS)[number] | 'keywords']?: Array<string> }

type HeaderFault = { line: number; reason: string }

export type RuleText = {
  keys: RuleKeys
  /** Line numbers by key. */
  lines: Record<string, number>
  /** With a fault in `forbid`, `require`, `bad` or `good`, the rule is sent without its checks. */
  checkFault?: HeaderFault
  /** The keys that SAT does not read. `isLimiting`: another tool uses the key to limit when it sends the rule. */
  unread: Array<{ key: string; line: number; isLimiting: boolean }>
  notes: Array<string>
  body: string
}

/** Fails if the header does not say clearly when to send the rule. */
export const readRuleText = (text: string): Result<RuleText, HeaderFault> => {
  const plain = withoutBom(text)
  const block = frontmatterOf(plain)
  const blockFault = block ? blockFaultOf(block) : brokenHeaderFaultOf(plain)
  if (blockFault) return fail(blockFault)
  const { entries, stray } = splitEntries(block?.lines ?? [])
  if (stray) return fail(lineFaultOf(stray))
  const body = plain.slice(block?.length ?? 0).trim()
  const header: RuleText = { keys: {}, lines: {}, unread: [], notes: [], body }
  for (const entry of translatedEntries(entries)) {
    const fault = addEntry(header, entry)
    if (fault) return fail(fault)
  }
  correctGlobs(header)
  noteSlashesAndQuotes(header)
  // The two `---` lines are not in `block.lines`.
  const firstBodyLine = block ? block.lines.length + 3 : 1
  const lateHeader = lateHeaderIn(plain, firstBodyLine)
  if (lateHeader !== undefined) {
    header.notes.push(`a header must begin with --- on line 1; the one on line ${lateHeader} is not read`)
  }
  return ok(header)
}

const MAX_LENGTH = 8_192

const NOT_CLOSED: HeaderFault = { line: 1, reason: 'the frontmatter is not closed with ---' }

const blockFaultOf = ({ lines, length, isClosed }: FrontmatterBlock): HeaderFault | null => {
  if (length > MAX_LENGTH) {
    return { line: 1, reason: `a header has at most ${MAX_LENGTH} characters, this one has ${length}` }
  }
  if (!isClosed) return NOT_CLOSED
  const first = lines.find(({ text }) => cleanLine(text) !== '')
  if (!first?.text.startsWith('{')) return null
  return { line: first.number, reason: 'a header has one key per line, without braces' }
}

/** Returns the fault of a block that was probably meant as a header. */
const brokenHeaderFaultOf = (text: string): HeaderFault | null => {
  const [aboveBlankLine = ''] = text.slice(0, MAX_LENGTH).split(BLANK_LINE)
  const block = blockAtStart(aboveBlankLine)
  if (!block) return null
  // `globs：a` and `globs = a` are meant as `globs: a`.
  const lines = block.lines.map((line) => ({ ...line, text: line.text.replace(/^(\w+)\s*[：=]/, '$1: ') }))
  const { entries } = splitEntries(lines)
  // Prose below a horizontal rule rarely begins with a key.
  const beginsWithKey = entries[0]?.lines[0] === lines[0]
  if (!beginsWithKey || !entries.some(isHeaderEntry)) return null
  const { prose } = splitEntries(block.lines)
  return block.isClosed && prose ? lineFaultOf(prose) : NOT_CLOSED
}

const lineFaultOf = ({ number, text }: FrontmatterBlock['lines'][number]): HeaderFault => ({
  line: number,
  reason: `${excerpt(text)} is not a line of a header; write "key: value" or "- item"`,
})

/** Translates entries of other tools: `trigger: always_on` → `alwaysApply: true`. */
const translatedEntries = (entries: Array<FrontmatterEntry>): Array<FrontmatterEntry> =>
  entries.flatMap((entry) => {
    const translated = translatedEntry(entry)
    if (!translated) return entry
    const hasOwnKey = entries.some(({ key }) => key === translated.key)
    return hasOwnKey ? [] : translated
  })

const addEntry = (header: RuleText, entry: FrontmatterEntry): HeaderFault | null => {
  const { keys, lines, unread } = header
  const line = entry.lines[0]!.number
  const key = ruleKeyOf(entry.key) ?? similarKeyOf(entry.key)
  if (!key) {
    const isRepeated = unread.some((other) => other.key === entry.key)
    if (!isRepeated) unread.push({ key: entry.key, line, isLimiting: isLimiting(entry) })
    return null
  }
  const { data: value, error } = valueOf(entry, key, keys[key] !== undefined)
  if (error !== null) {
    if (!isCheckKey(key)) return { line, reason: error }
    header.checkFault ??= { line, reason: error }
  } else if (value !== undefined) {
    Object.assign(keys, { [key]: value })
    lines[key] = line
  }
  return null
}

const isCheckKey = (key: RuleKey): boolean => CHECK_KEYS.some((checkKey) => checkKey === key)

const valueOf = (entry: FrontmatterEntry, key: RuleKey, isRepeated: boolean): Result<unknown> => {
  const { value } = entry
  if (ruleKeyOf(entry.key) !== key) return fail(`there is no key ${excerpt(entry.key)}; did you mean ${key}?`)
  if (key === 'description') return ok(descriptionOf(entry))
  if (value !== '' && !/^\s/.test(value)) return fail(`a key is written "${key}: value", with a space`)
  if (isRepeated) return fail(`${key} occurs twice`)
  const withKey = { ...entry, key }
  if (isCheckKey(key)) return textsOf(withKey)
  return key === 'alwaysApply' ? booleanOf(withKey) : listOf(withKey)
}

/** Corrects globs that a Markdown formatter changed: `_.ts` → `*.ts`. */
const correctGlobs = ({ keys, notes }: RuleText): void => {
  for (const key of GLOB_KEYS) {
    const written = keys[key]
    if (!written) continue
    const corrected = written.map(withStars)
    keys[key] = corrected
    const changed = corrected.findIndex((glob, index) => glob !== written[index])
    if (changed >= 0) notes.push(`${excerpt(written[changed]!)} is read as ${excerpt(corrected[changed]!)}`)
    notes.push(...corrected.flatMap((glob) => noteOnGlob(glob) ?? []).slice(0, 1))
  }
}

const noteOnGlob = (glob: string): string | undefined => {
  const shown = excerpt(glob)
  const separator = separatorIn(glob)
  if (separator) {
    return `the ${separator} is a part of the pattern ${shown}; write a comma between two patterns`
  }
  const isHidden = hiddenCharacters(glob, 'rule').length > 0
  if (isHidden) return `a hidden character is a part of the pattern ${shown}`
  const isOutside = /^\.\.(?:\/|$)/.test(posix.normalize(glob))
  return isOutside ? `${shown} leads out of the project; no file matches it` : undefined
}

/** Returns the sign that separates patterns in place of a comma: `*.md;*.x` → `;`. */
const separatorIn = (glob: string): string | undefined => {
  if (isSpacedList(glob)) return 'space'
  if (isSpacedList(glob.replaceAll(';', ' '))) return ';'
  // In `@(a|b)`, the `|` separates alternatives.
  return glob.includes('|') && !glob.includes('(') ? '|' : undefined
}

const IN_SLASHES_OR_QUOTES = /^(?:\/.+\/[a-z]*|“[^“”]+”|‘[^‘’]+’|`[^`]+`)$/

const noteSlashesAndQuotes = ({ keys: { forbid = [], require = [], bad }, notes }: RuleText): void => {
  const { text } = [...forbid, ...require].find((each) => IN_SLASHES_OR_QUOTES.test(each.text)) ?? {}
  // A `bad` example proves that the pattern works.
  if (text === undefined || bad) return
  notes.push(`the ${text.startsWith('/') ? 'slashes' : 'quotes'} are a part of the pattern ${excerpt(text)}`)
}
