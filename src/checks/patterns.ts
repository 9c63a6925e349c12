/** Compiles the patterns in a rule's header with RE2, which needs linear time even for a hostile pattern. */
import type { RE2JS } from 're2js'
import { fail, ok, type Result, safe } from '../safe.ts'
import { fileLinesOf, withLineFeeds } from '../text/line-ending.ts'
import { excerpt } from '../text/quoted-name.ts'
import { type Budget, NO_TIME, sessionBudget, spend } from './budget.ts'
import { estimatedSize } from './pattern-size.ts'

/** A value in a header, and the number of its line, from 1. */
export type HeaderText = { text: string; line: number }

/** The keys of patterns and of examples. A `bad` example must break the rule, and a `good` example must not. */
export const CHECK_KEYS = ['forbid', 'require', 'bad', 'good'] as const

export type Pattern = {
  source: string
  /** The estimated number of instructions of the compiled pattern. */
  size: number
  /** A longer line is searched only up to this length, and a longer file is not searched. */
  maxLength: number
  /** `text` is a line if the key is `forbid`, and a whole file if the key is `require`. */
  isIn: (text: string) => boolean
  /** Returns the first matches in a line. */
  matchesIn: (line: string) => Array<string>
}

/** The patterns of a rule: an added line must match none of `forbid`, a file must match each of `require`. */
export type Checks = { forbid: Array<Pattern>; require: Array<Pattern> }

const MAX_LENGTH = 1_000
const MAX_INSTRUCTIONS = 5_000
const MAX_LINE_LENGTH = 10_000
const MAX_FILE_LENGTH = 200_000
// Characters times instructions in one search, which then takes at most a tenth of a second.
const MAX_WORK = 5_000_000
const MAX_MATCHES = 20
const MAX_COMPARED_LENGTH = 1_000

const LOOKAROUND = /\(\?<?[=!]/
const NO_LOOKAROUND =
  'a pattern cannot look ahead or behind: for (?<!x)y write (?:^|[^x])y, and for y(?!x) write y(?:[^x]|$)'

// RE2 knows `\x{e9}`, but not JavaScript's `\u00e9` and `\u{e9}`.
const CODE_POINT = /\\u(?:\{([\dA-Fa-f]+)\}|([\dA-Fa-f]{4}))/g

const compile = async (source: string, key: keyof Checks, budget: Budget): Promise<Result<Pattern>> => {
  if (source === '') return fail('the pattern is empty')
  if (source.length > MAX_LENGTH) return fail(`the pattern has more than ${MAX_LENGTH} characters`)
  const size = estimatedSize(source)
  if (size > MAX_INSTRUCTIONS) return fail('the pattern has too many repetitions')
  // Loaded only here, because most projects have no pattern.
  const { RE2JS } = await import('re2js')
  const engineSource = source.replace(CODE_POINT, (_, braced, plain) => `\\x{${braced ?? plain}}`)
  if (budget.ms <= 0) return fail(NO_TIME)
  const flags = key === 'require' ? RE2JS.MULTILINE : 0
  const compiled = safe(() => spend(budget, () => RE2JS.compile(engineSource, flags)))
  if (compiled.error !== null) {
    if (LOOKAROUND.test(source)) return fail(NO_LOOKAROUND)
    const reason = compiled.error.replace(/^error parsing regexp: /, '')
    return fail(`${excerpt(source)} is no pattern: ${excerpt(reason)}`)
  }
  return ok({ source, size, ...limitedSearches(compiled.data, key) })
}

const limitedSearches = (pattern: RE2JS, key: keyof Checks): Omit<Pattern, 'source' | 'size'> => {
  const affordableLength = MAX_WORK / pattern.programSize()
  const longest = key === 'forbid' ? MAX_LINE_LENGTH : MAX_FILE_LENGTH
  const maxLength = Math.min(longest, Math.floor(affordableLength))
  // `$` matches where a long line is cut, so a match that ends at the cut does not count.
  const endsBefore = (part: string): boolean => {
    const matcher = pattern.matcher(part)
    return matcher.find() && matcher.end() < part.length
  }
  const isIn = key === 'forbid'
    ? (line: string) => line.length > maxLength ? endsBefore(line.slice(0, maxLength)) : pattern.test(line)
    // RE2's `$` matches before a line feed, but not before a carriage return.
    : (file: string) => file.length > maxLength || pattern.test(withLineFeeds(file))
  // The search for each match may read the whole text, so the matches share `MAX_WORK`.
  const maxComparedLength = Math.min(MAX_COMPARED_LENGTH, affordableLength / MAX_MATCHES)
  const matchesIn = (line: string): Array<string> => {
    const matches: Array<string> = []
    for (const [match] of pattern.matchAll(line.slice(0, maxComparedLength))) {
      if (matches.push(match) === MAX_MATCHES) break
    }
    return matches
  }
  return { maxLength, isIn, matchesIn }
}

export const isForbidden = (checks: Checks, line: string): boolean =>
  checks.forbid.some(({ isIn }) => isIn(line))

const breaksRule = (checks: Checks, text: string): boolean =>
  fileLinesOf(text || '\n').some((line) => isForbidden(checks, line))
  || checks.require.some(({ isIn }) => !isIn(text))

export type CheckTexts = { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }

export const patternCount = ({ forbid = [], require = [] }: CheckTexts): number =>
  forbid.length + require.length

export const totalSizeOf = ({ forbid, require }: Checks): number =>
  [...forbid, ...require].reduce((sum, { size }) => sum + size, 0)

const MAX_EXAMPLE_WORK = 4_000_000

/** Compiles the patterns of a header and tries its examples. Returns `ok(undefined)` if the header has neither. */
export const compileChecks = async (
  texts: CheckTexts,
  budget = sessionBudget(),
): Promise<Result<Checks | undefined, { line: number; reason: string }>> => {
  const checks: Checks = { forbid: [], require: [] }
  for (const key of ['forbid', 'require'] as const) {
    for (const { text, line } of texts[key] ?? []) {
      const { data, error } = await compile(text, key, budget)
      if (error !== null) return fail({ line, reason: error })
      checks[key].push(data)
    }
  }
  const { bad = [], good = [] } = texts
  const examples = [...bad, ...good]
  const firstLine = examples[0]?.line ?? 0
  if (patternCount(texts) === 0) {
    if (examples.length === 0) return ok(undefined)
    return fail({ line: firstLine, reason: 'an example needs forbid or require' })
  }
  const length = examples.reduce((sum, { text }) => sum + text.length, 0)
  if (length * totalSizeOf(checks) > MAX_EXAMPLE_WORK) {
    return fail({ line: firstLine, reason: "the rule's examples are too long for the size of its patterns" })
  }
  for (const [index, { text, line }] of examples.entries()) {
    if (budget.ms <= 0) return fail({ line, reason: NO_TIME })
    const isRejected = spend(budget, () => breaksRule(checks, text))
    const isBad = index < bad.length
    if (isBad && !isRejected) return fail({ line, reason: 'this bad example passes the check' })
    if (!isBad && isRejected) return fail({ line, reason: 'this good example fails the check' })
  }
  return ok(checks)
}
