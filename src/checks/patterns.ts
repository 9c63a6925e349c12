/** The patterns of a rule's header. They may come from a cloned repository: none takes more than linear time. */
import { fail, ok, type Result, safe } from '../safe.ts'
import { linesOf, withLineFeeds } from '../text/line-ending.ts'
import { excerpt } from '../text/quoted-name.ts'
import { type Budget, NO_TIME, sessionBudget, spend } from './budget.ts'
import { estimatedSize } from './pattern-size.ts'

/** A text of a header, and its line in the file, counted from 1. */
export type HeaderText = { text: string; line: number }

/** The keys of a header that check what an agent writes. */
export const CHECK_KEYS = ['forbid', 'require', 'bad', 'good'] as const

/**
 * A pattern: whether a text has it, and the parts of a line that it matches, the first of them; `size` is about how many
 * instructions it takes, `maxLength` how many characters of a text are tried.
 */
export type Pattern = {
  size: number
  source: string
  maxLength: number
  isIn: (text: string) => boolean
  matchesIn: (line: string) => Array<string>
}

/** The patterns of a rule: those that no added line may have, and those that a file must have somewhere. */
export type Checks = { forbid: Array<Pattern>; require: Array<Pattern> }

const MAX_LENGTH = 1_000
// Repetitions of repetitions make a short pattern a long one.
const MAX_INSTRUCTIONS = 5_000
// A longer line is cut; a longer file is not held against `require`.
const MAX_LINE = 10_000
// Characters times instructions of one search, at worst a tenth of a second: a long pattern is tried with less of a text.
const MAX_WORK = 5_000_000
// Each match may take a search of all that is compared.
const MAX_MATCHES = 20
const MAX_COMPARED = 1_000
const MAX_FILE = 200_000
// Characters of a rule's examples, each tried with each instruction of its patterns when its file is read.
const MAX_EXAMPLES = 4_000_000

// What people write most of what the engine does not know.
const LOOKAROUND = /\(\?<?[=!]/
const NO_LOOKAROUND =
  'a pattern cannot look ahead or behind: for (?<!x)y write (?:^|[^x])y, and for y(?!x) write y(?:[^x]|$)'

// JavaScript's way to write a character by its number.
const CODE_POINT = /\\u(?:\{([\dA-Fa-f]+)\}|([\dA-Fa-f]{4}))/g

/** Compiles a pattern for a line or a file. The engine is loaded here, since most projects have no pattern. */
const compile = async (source: string, of: keyof Checks, budget: Budget): Promise<Result<Pattern>> => {
  if (source === '') return fail('the pattern is empty')
  if (source.length > MAX_LENGTH) return fail(`the pattern has more than ${MAX_LENGTH} characters`)
  const size = estimatedSize(source)
  if (size > MAX_INSTRUCTIONS) return fail('the pattern repeats too much')
  const { RE2JS } = await import('re2js')
  const plain = source.replace(CODE_POINT, (_, long?: string, short?: string) => `\\x{${long ?? short}}`)
  if (budget.ms <= 0) return fail(NO_TIME)
  const made = safe(() => spend(budget, () => RE2JS.compile(plain, of === 'require' ? RE2JS.MULTILINE : 0)))
  if (made.error !== null) {
    const reason = made.error.replace(/^error parsing regexp: /, '')
    return fail(
      LOOKAROUND.test(source) ? NO_LOOKAROUND : `${excerpt(source)} is no pattern: ${excerpt(reason)}`,
    )
  }
  const pattern = made.data
  const work = MAX_WORK / pattern.programSize()
  const maxCompared = Math.min(MAX_COMPARED, work / MAX_MATCHES)
  const matchesIn = (line: string): Array<string> => {
    const found: Array<string> = []
    for (const [match] of pattern.matchAll(line.slice(0, maxCompared))) {
      if (found.push(match) === MAX_MATCHES) break
    }
    return found
  }
  const maxLength = Math.min(of === 'forbid' ? MAX_LINE : MAX_FILE, Math.floor(work))
  const isIn = of === 'forbid'
    ? (line: string) => pattern.test(line.slice(0, maxLength))
    // `$` is before the line feed alone.
    : (file: string) => file.length > maxLength || pattern.test(withLineFeeds(file))
  return ok({ source, size, maxLength, isIn, matchesIn })
}

/** Whether a line has what no line may have. */
export const isForbidden = ({ forbid }: Checks, line: string): boolean =>
  forbid.some(({ isIn }) => isIn(line))

const breaks = (checks: Checks, text: string): boolean =>
  linesOf(text).some((line) => isForbidden(checks, line)) || checks.require.some(({ isIn }) => !isIn(text))

/** What a header says about checking. */
export type CheckTexts = { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }

/** Gives the number of patterns in a header, compiled or not. */
export const patternCount = ({ forbid = [], require = [] }: CheckTexts): number =>
  forbid.length + require.length

/** Gives about how many instructions the patterns of a rule take. */
export const sizeOf = ({ forbid, require }: Checks): number =>
  [...forbid, ...require].reduce((sum, { size }) => sum + size, 0)

/** Tries the examples of a rule; gives the first that behaves otherwise than it should. */
const wrongExample = (
  checks: Checks,
  { bad = [], good = [] }: CheckTexts,
  budget: Budget,
): { line: number; reason: string } | undefined => {
  for (const [examples, isBad] of [[bad, true], [good, false]] as const) {
    for (const { text, line } of examples) {
      if (budget.ms <= 0) return { line, reason: NO_TIME }
      if (spend(budget, () => breaks(checks, text)) === isBad) continue
      return { line, reason: isBad ? 'this bad example is not hit' : 'this good example is hit' }
    }
  }
  return undefined
}

/**
 * Compiles what a header says about checking; undefined where it says nothing. Gives what is wrong with it, and on which
 * line, also where an example behaves otherwise than it should.
 */
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
  const [first] = [...bad, ...good]
  if (!first) return ok(patternCount(texts) === 0 ? undefined : checks)
  const { line } = first
  if (patternCount(texts) === 0) return fail({ line, reason: 'an example needs forbid or require' })
  const length = [...bad, ...good].reduce((sum, { text }) => sum + text.length, 0)
  if (length * sizeOf(checks) > MAX_EXAMPLES) {
    return fail({ line, reason: 'its examples are too long for such patterns' })
  }
  const wrong = wrongExample(checks, texts, budget)
  return wrong ? fail(wrong) : ok(checks)
}
