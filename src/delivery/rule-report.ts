/** Tells the model the faults of a rule file, and the existing files that break its rule. */
import { resolve } from 'node:path'
import { TimeBudget } from '../checks/budget.ts'
import { MARKDOWN_FILE } from '../checks/file-changes.ts'
import { checksFencedCode } from '../checks/forbidden-lines.ts'
import { isForbidden } from '../checks/patterns.ts'
import { isLacking, type Violation } from '../checks/violations.ts'
import { readTree } from '../markdown/project-tree.ts'
import { withTimeout } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'
import { excerpt, firstRows, inBackticks, nameInSentence, safeName } from '../text/quoted-name.ts'
import { readText } from '../text/read.ts'
import { type CheckedRule, hasChecks, type Rule } from './rule-files.ts'
import type { RuleFault } from './rule-walk.ts'
import { allRulesOf, ruleFilesOf, type RulesOnDisk } from './rules-on-disk.ts'
import type { WrittenFile } from './written-files.ts'

// The model's next request waits for the report.
const MAX_MATCHING_MS = 100
const MAX_LISTING_MS = 2_000
const MAX_READING_MS = 1_000
const MAX_FILES = 500
const READS_AT_ONCE = 20
const MAX_BYTES = 200_000
const MAX_NAMED = 3

type Matches = { lines: Array<string>; lacking: Array<string>; isComplete: boolean }

const matchFiles = async (
  { checks, globs }: CheckedRule,
  paths: Array<string>,
  worktree: string,
): Promise<Matches> => {
  const budget = new TimeBudget(MAX_MATCHING_MS)
  const readUntil = performance.now() + MAX_READING_MS
  const matches: Matches = { lines: [], lacking: [], isComplete: true }
  for (let start = 0; start < paths.length; start += READS_AT_ONCE) {
    if (start >= MAX_FILES || performance.now() > readUntil) return { ...matches, isComplete: false }
    const reads = paths.slice(start, start + READS_AT_ONCE).map(async (path) => {
      const { data } = await readText(resolve(worktree, path), { maxBytes: MAX_BYTES })
      return data ? [{ path, text: data.text }] : []
    })
    for (const { path, text } of (await Promise.all(reads)).flat()) {
      const skipsFences = MARKDOWN_FILE.test(path) && !checksFencedCode(globs)
      const fenced = skipsFences ? (await import('../checks/changed-lines.ts')).fencedLines(text) : null
      const { kept, untested } = await budget.filter(
        [...linesOf(text).entries()],
        ([index, line]) => !fenced?.has(index + 1) && isForbidden(checks, line),
      )
      const lacksPattern = await budget.run(() => checks.require.some(({ isIn }) => !isIn(text)))
      matches.lines.push(...kept.map(([index]) => `${nameInSentence(path)}:${index + 1}`))
      if (lacksPattern) matches.lacking.push(nameInSentence(path))
      if (untested > 0 || lacksPattern === undefined) return { ...matches, isComplete: false }
    }
  }
  return matches
}

const formatCount = (names: Array<string>, singular: string, plural: string): string => {
  if (names.length === 0) return `no ${singular}`
  const { rows, more } = firstRows(names, MAX_NAMED)
  const others = more > 0 ? ` and ${more} more` : ''
  return `${names.length} ${names.length === 1 ? singular : plural} (${rows.join(', ')}${others})`
}

const describeMatches = ({ lines, lacking, isComplete }: Matches, { checks }: CheckedRule): string =>
  [
    checks.forbid.length > 0 && formatCount(lines, 'existing line matches', 'existing lines match'),
    checks.require.length > 0
    && formatCount(lacking, 'file lacks a required pattern', 'files lack a required pattern'),
    !isComplete && `some files were not checked, because time ran out or there are more than ${MAX_FILES}`,
  ].filter(Boolean).join('; ')

const ruleReport = async (rule: CheckedRule, ruleFiles: ReadonlySet<string>, worktree: string) => {
  const tree = await withTimeout(MAX_LISTING_MS, readTree(worktree))
  const paths = [...tree.data?.files ?? []].filter((path) =>
    // A rule file is left out, because its examples break the rule.
    !ruleFiles.has(resolve(worktree, path)) && (rule.applies?.(path) ?? true)
  ).sort()
  const matches = await matchFiles(rule, paths, worktree)
  if (tree.data === null) matches.isComplete = false
  const files = rule.globs?.map(nameInSentence).join(', ') ?? 'every file'
  const conditions = rule.conditions?.map(({ label }) => label).join('; ')
  const limits = conditions ? ` (only with ${conditions})` : ''
  const examples = rule.hasExamples ? 'its examples hold' : 'it has no examples'
  const described = describeMatches(matches, rule)
  return `The rule ${safeName(rule.name)} is in force for ${files}${limits}; ${examples}; ${described}.`
}

const sentence = (words: string): string => words.endsWith('?') ? words : `${words}.`

const faultNote = (path: string, { line, reason, isSent, isOffered }: RuleFault): string => {
  const consequence = isSent
    ? 'its text is sent, but its patterns are not checked'
    : isOffered
    ? 'only its path and description are sent'
    : 'it is not used'
  const at = line ? ` on line ${line}` : ''
  return `The rule file ${path} has a fault${at}: ${sentence(reason)} Fix it; until then ${consequence}.`
}

/** Returns notes for the model on a written rule file, or `[]` for any other file. */
export const ruleFileNotes = async (
  { path: writtenPath, paths }: Pick<WrittenFile, 'path' | 'paths'>,
  onDisk: RulesOnDisk,
  worktree: string,
): Promise<Array<string>> => {
  const absolutePaths = paths.map((path) => resolve(worktree, path))
  const isSameFile = ({ path, realPath }: Pick<RuleFault, 'path' | 'realPath'>) =>
    absolutePaths.some((each) => each === path || each === realPath)
  const faults = onDisk.leftOut.filter(isSameFile).map((fault) => faultNote(writtenPath, fault))
  const rule = allRulesOf(onDisk).find(isSameFile)
  const notes = rule?.note ? [`Note on the rule file ${writtenPath}: ${sentence(rule.note)}`] : []
  const reports = rule && hasChecks(rule) ? [await ruleReport(rule, ruleFilesOf(onDisk), worktree)] : []
  return [...faults, ...notes, ...reports]
}

/** Replaces the text of a `require` violation by the required patterns that the file lacks. */
export const withLackedPatterns = (violation: Violation, rule: Rule | undefined, fileText: string | null) => {
  if (!isLacking(violation) || !rule?.checks) return violation
  const lacked = rule.checks.require.filter(({ isIn }) => !isIn(fileText ?? ''))
  const names = lacked.map(({ source }) => inBackticks(excerpt(source))).join(', ')
  return names === '' ? violation : { ...violation, text: `the file lacks ${names}` }
}
