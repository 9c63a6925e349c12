/** When the model writes a rule file, tells it to which files the rule applies, and which existing lines already match. */
import { resolve } from 'node:path'
import { TimeBudget } from '../checks/budget.ts'
import { isForbidden } from '../checks/patterns.ts'
import type { Violation } from '../checks/violations.ts'
import { readTree } from '../markdown/project-tree.ts'
import { withTimeout } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { excerpt, firstRows, inBackticks, nameInSentence, safeName } from '../text/quoted-name.ts'
import { readText } from '../text/read.ts'
import type { Rule } from './rule-files.ts'

// The model's next request waits for the report, which says if there was no time for all files.
const MAX_MS = 100
const MAX_LISTING_MS = 2_000
const MAX_READING_MS = 1_000
const MAX_FILES = 500
const MAX_BYTES = 200_000
const READS_AT_ONCE = 20
const MAX_NAMED = 3

/** A rule with checks. */
type CheckedRule = Rule & { checks: NonNullable<Rule['checks']> }

/**
 * The lines that match `forbid` as `path:line`, the files that lack a `require`d pattern, and whether all were checked.
 */
type Matches = { lines: Array<string>; lacking: Array<string>; isComplete: boolean }

/** Adds the matches of a file to `matches`. Returns whether there was time to check the whole file. */
const matchFile = async (
  { checks }: CheckedRule,
  { path, text }: { path: string; text: string },
  matches: Matches,
  budget: TimeBudget,
): Promise<boolean> => {
  const lines = [...linesOf(text).entries()]
  const { kept, untested } = await budget.filter(lines, ([, line]) => isForbidden(checks, line))
  const isLacking = await budget.run(() => checks.require.some(({ isIn }) => !isIn(text)))
  matches.lines.push(...kept.map(([index]) => `${nameInSentence(path)}:${index + 1}`))
  if (isLacking) matches.lacking.push(nameInSentence(path))
  return untested === 0 && isLacking !== undefined
}

/** Matches a rule with its files until time runs out. */
const matchFiles = async (rule: CheckedRule, paths: Array<string>, worktree: string): Promise<Matches> => {
  const budget = new TimeBudget(MAX_MS)
  const end = performance.now() + MAX_READING_MS
  const matches: Matches = { lines: [], lacking: [], isComplete: true }
  for (let start = 0; start < paths.length; start += READS_AT_ONCE) {
    if (start >= MAX_FILES || performance.now() > end) return { ...matches, isComplete: false }
    const read = paths.slice(start, start + READS_AT_ONCE).map(async (path) => {
      const { data } = await readText(resolve(worktree, path), { maxBytes: MAX_BYTES })
      return data ? [{ path, text: data.text }] : []
    })
    for (const file of (await Promise.all(read)).flat()) {
      if (!await matchFile(rule, file, matches, budget)) return { ...matches, isComplete: false }
    }
  }
  return matches
}

const someOf = (names: Array<string>): string => {
  const { rows, more } = firstRows(names, MAX_NAMED)
  return rows.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Describes the matches of a rule. */
const describeMatches = ({ lines, lacking, isComplete }: Matches, { checks }: CheckedRule): string => {
  const matching = lines.length === 0
    ? 'no existing line matches'
    : `${pluralize(lines.length, 'existing line')} ${lines.length === 1 ? 'matches' : 'match'} (${
      someOf(lines)
    })`
  const missing = lacking.length === 0
    ? 'no file lacks what it requires'
    : `${pluralize(lacking.length, 'file')} ${lacking.length === 1 ? 'lacks' : 'lack'} what it requires (${
      someOf(lacking)
    })`
  return [
    ...(checks.forbid.length > 0 ? [matching] : []),
    ...(checks.require.length > 0 ? [missing] : []),
    ...(isComplete ? [] : ['not all files were checked, for lack of time']),
  ].join('; ')
}

/**
 * Adds to a violation without a line the required patterns that its file lacks, except those that the text of the rule
 * contains.
 */
export const withLackedPatterns = (
  broken: Violation,
  rule: Rule | undefined,
  file: string | null,
): Violation => {
  if (broken.line !== undefined || broken.more !== undefined || !rule?.checks) return broken
  const lacked = rule.checks.require.filter(({ isIn, source }) =>
    !isIn(file ?? '') && !rule.body.includes(source)
  )
  const names = lacked.map(({ source }) => inBackticks(excerpt(source))).join(', ')
  return names === '' ? broken : { ...broken, text: `the file lacks ${names}` }
}

/**
 * Reports a rule with checks: `The rule no-any is in force for src/**; its examples hold; 7 existing lines match
 * (src/a.ts:3, …).`
 *
 * @param isRuleFile whether a path is a rule file, which is skipped because its examples match
 */
export const reportRule = async (
  rule: CheckedRule,
  worktree: string,
  isRuleFile: (path: string) => boolean,
): Promise<string> => {
  const tree = await withTimeout(MAX_LISTING_MS, readTree(worktree))
  const paths = [...tree.data?.files ?? []].filter((path) =>
    !isRuleFile(resolve(worktree, path)) && (rule.applies?.(path) ?? true)
  )
  const matches = await matchFiles(rule, paths, worktree)
  const isComplete = matches.isComplete && tree.data !== null
  const files = rule.globs?.map(nameInSentence).join(', ') ?? 'every file'
  const examples = rule.hasExamples ? 'its examples hold' : 'it has no examples'
  return `The rule ${safeName(rule.name)} is in force for ${files}; ${examples}; ${
    describeMatches({ ...matches, isComplete }, rule)
  }.`
}
