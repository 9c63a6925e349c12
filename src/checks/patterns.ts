/** The patterns of a rule file's header. They may come from a cloned repository: none can take more than linear time. */
import { fail, ok, type Result, safe } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'

/** A text of a header, and its line in the file, counted from 1. */
export type HeaderText = { text: string; line: number }

/** The keys of a header that check what an agent writes. */
export const CHECK_KEYS = ['forbid', 'require', 'bad', 'good'] as const

/** What a header says about checking, by its keys. */
export type CheckTexts = { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }

/** A pattern, as written, and whether a text has it. */
export type Pattern = { source: string; isIn: (text: string) => boolean }

/** The patterns of a rule: those that no added line may have, and those that a file must have somewhere. */
export type Checks = { forbid: Array<Pattern>; require: Array<Pattern> }

const MAX_LENGTH = 1_000

/** A longer line is cut. */
export const MAX_LINE = 10_000

const LOOKAROUND = /\(\?<?[=!]/
const REFERENCE = /\\(?:[1-9]|k<)/

// JavaScript's way to write a character by its number.
const CODE_POINT = /\\u(?:\{([\dA-Fa-f]+)\}|([\dA-Fa-f]{4}))/g

const whyNot = (source: string, error: string): string => {
  if (LOOKAROUND.test(source)) return 'a pattern cannot look ahead or behind, as with (?= or (?<!'
  if (REFERENCE.test(source)) return String.raw`a pattern cannot refer to its own groups, as with \1`
  return `${source.slice(0, 100)} is no pattern: ${error.replace(/^error parsing regexp: /, '')}`
}

/** Compiles a pattern. The engine is loaded here, since most projects have no pattern. */
const compile = async ({ text }: HeaderText, flag: 'LINE' | 'FILE'): Promise<Result<Pattern>> => {
  if (text === '') return fail('the pattern is empty')
  if (text.length > MAX_LENGTH) {
    return fail(`a pattern of ${text.length} characters; at most ${MAX_LENGTH} are read`)
  }
  const { RE2JS } = await import('re2js')
  const plain = text.replace(CODE_POINT, (_, long?: string, short?: string) => `\\x{${long ?? short}}`)
  const made = safe(() => RE2JS.compile(plain, flag === 'FILE' ? RE2JS.MULTILINE : 0))
  if (made.error !== null) return fail(whyNot(text, made.error))
  return ok({ source: text, isIn: (given) => made.data.test(given) })
}

/** Gives the pattern that a line has, of those that none may have. */
export const forbiddenIn = ({ forbid }: Checks, line: string): Pattern | undefined =>
  forbid.find((pattern) => pattern.isIn(line.slice(0, MAX_LINE)))

/** Whether a text, as a file, breaks a rule. */
const breaks = (checks: Checks, text: string): boolean =>
  linesOf(text).some((line) => forbiddenIn(checks, line)) || checks.require.some((one) => !one.isIn(text))

/**
 * Compiles what a header says about checking; undefined where it says nothing. Gives what is wrong with it, and on which
 * line, also where an example behaves otherwise than it should.
 */
export const compileChecks = async (
  { forbid = [], require = [], bad = [], good = [] }: CheckTexts,
): Promise<Result<Checks | undefined, { line: number; reason: string }>> => {
  const checks: Checks = { forbid: [], require: [] }
  for (const [key, texts] of Object.entries({ forbid, require })) {
    for (const text of texts) {
      const made = await compile(text, key === 'forbid' ? 'LINE' : 'FILE')
      if (made.error !== null) return fail({ line: text.line, reason: made.error })
      checks[key as keyof Checks].push(made.data)
    }
  }
  const [example] = [...bad, ...good]
  if (forbid.length + require.length === 0) {
    return example
      ? fail({ line: example.line, reason: 'an example needs forbid or require' })
      : ok(undefined)
  }
  const missed = bad.find(({ text }) => !breaks(checks, text))
  if (missed) return fail({ line: missed.line, reason: `this bad example is not hit: ${missed.text}` })
  const hit = good.find(({ text }) => breaks(checks, text))
  if (hit) return fail({ line: hit.line, reason: `this good example is hit: ${hit.text}` })
  return ok(checks)
}
