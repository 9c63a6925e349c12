/** Says what a rule file that the agent wrote does now: for which files it is, and what of them matches already. */
import { resolve } from 'node:path'
import { TimeBudget } from '../checks/budget.ts'
import type { Broken } from '../checks/marks.ts'
import { isForbidden } from '../checks/patterns.ts'
import { readTree } from '../markdown/project-tree.ts'
import { withTimeout } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { excerpt, firstRows, inBackticks, nameInSentence, safeName } from '../text/quoted-name.ts'
import { readText } from '../text/read.ts'
import type { Rule } from './rule-files.ts'

// Runs before the model's next request. What is not looked at by then is said.
const MAX_MS = 100
const MAX_LISTING_MS = 2_000
const MAX_READING_MS = 1_000
const MAX_FILES = 500
const MAX_BYTES = 200_000
const READS_AT_ONCE = 20
const MAX_NAMED = 3

/** A rule that checks files. */
type CheckedRule = Rule & { checks: NonNullable<Rule['checks']> }

/** What was found of a rule in the files that are there: the places of lines, the files without what it requires. */
type Found = { lines: Array<string>; lacking: Array<string>; isWhole: boolean }

/** Looks for what a rule tells in a file; gives whether there was time for all of it. */
const lookAt = async (
  { checks }: CheckedRule,
  { path, text }: { path: string; text: string },
  found: Found,
  budget: TimeBudget,
): Promise<boolean> => {
  const lines = [...linesOf(text).entries()]
  const { kept, untested } = await budget.filter(lines, ([, line]) => isForbidden(checks, line))
  const isLacking = await budget.run(() => checks.require.some(({ isIn }) => !isIn(text)))
  found.lines.push(...kept.map(([index]) => `${nameInSentence(path)}:${index + 1}`))
  if (isLacking) found.lacking.push(nameInSentence(path))
  return untested === 0 && isLacking !== undefined
}

/** Looks through the files of a rule, as long as there is time. */
const findIn = async (rule: CheckedRule, paths: Array<string>, worktree: string): Promise<Found> => {
  const budget = new TimeBudget(MAX_MS)
  const end = performance.now() + MAX_READING_MS
  const found: Found = { lines: [], lacking: [], isWhole: true }
  for (let at = 0; at < paths.length; at += READS_AT_ONCE) {
    if (at >= MAX_FILES || performance.now() > end) return { ...found, isWhole: false }
    const read = paths.slice(at, at + READS_AT_ONCE).map(async (path) => {
      const { data } = await readText(resolve(worktree, path), { maxBytes: MAX_BYTES })
      return data ? [{ path, text: data.text }] : []
    })
    for (const file of (await Promise.all(read)).flat()) {
      if (!await lookAt(rule, file, found, budget)) return { ...found, isWhole: false }
    }
  }
  return found
}

const someOf = (names: Array<string>): string => {
  const { rows, more } = firstRows(names, MAX_NAMED)
  return rows.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Says what was found. */
const matchWords = ({ lines, lacking, isWhole }: Found, { checks }: CheckedRule): string => {
  const matching = lines.length === 0
    ? 'no line that is there already matches'
    : `${pluralize(lines.length, 'line')} that ${lines.length === 1 ? 'is' : 'are'} there already `
      + `${lines.length === 1 ? 'matches' : 'match'} (${someOf(lines)})`
  const missing = lacking.length === 0
    ? 'no file lacks what it requires'
    : `${pluralize(lacking.length, 'file')} ${lacking.length === 1 ? 'lacks' : 'lack'} what it requires (${
      someOf(lacking)
    })`
  const words = [
    ...(checks.forbid.length > 0 ? [matching] : []),
    ...(checks.require.length > 0 ? [missing] : []),
  ]
  return [...words, ...(isWhole ? [] : ['not all files were looked at, for lack of time'])].join('; ')
}

/** Names the patterns that a file lacks, where the words of their rule do not. */
export const namingPatterns = (one: Broken, rule: Rule | undefined, file: string | null): Broken => {
  if (one.line !== undefined || one.more !== undefined || !rule?.checks) return one
  const lacked = rule.checks.require.filter(({ isIn, source }) =>
    !isIn(file ?? '') && !rule.body.includes(source)
  )
  const names = lacked.map(({ source }) => inBackticks(excerpt(source))).join(', ')
  return names === '' ? one : { ...one, text: `the file lacks ${names}` }
}

/**
 * Reports a rule that checks files: `The rule no-any is in force for src/**; its examples hold; 7 lines that are there
 * already match (src/a.ts:3, …).`
 *
 * @param isOther whether a path is of a rule file, whose examples match
 */
export const reportRule = async (
  rule: CheckedRule,
  worktree: string,
  isOther: (path: string) => boolean,
): Promise<string> => {
  const [tree, file] = await Promise.all([
    withTimeout(MAX_LISTING_MS, readTree(worktree)),
    readText(rule.path),
  ])
  const paths = [...tree.data?.files ?? []].filter((path) =>
    !isOther(resolve(worktree, path)) && (rule.applies?.(path) ?? true)
  )
  const found = await findIn(rule, paths, worktree)
  const isWhole = found.isWhole && tree.data !== null
  const files = rule.globs?.map(nameInSentence).join(', ') ?? 'every file'
  const examples = /^\s*(?:bad|good)\s*:/m.test(file.data?.text ?? '')
    ? 'its examples hold'
    : 'it has no examples'
  return `The rule ${safeName(rule.name)} is in force for ${files}; ${examples}; ${
    matchWords({ ...found, isWhole }, rule)
  }.`
}
