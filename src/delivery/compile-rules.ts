/** Compiles the conditions, globs and patterns of rules, within one budget for all rules of a session. */
import { type Budget, sessionBudget } from '../checks/budget.ts'
import { type CheckTexts, compileChecks, patternCount, totalSizeOf } from '../checks/patterns.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { conditionsOf } from './conditions.ts'
import { unreadNotes } from './rule-dialects.ts'
import type { Rule, UncompiledRule } from './rule-files.ts'
import type { RuleFolder } from './rule-folders.ts'
import type { RuleText } from './rule-frontmatter.ts'
import type { RuleFault } from './rule-walk.ts'

// Caches the compiled patterns of each header by its `keys`, which are the same object until the rule's file changes.
const compiledChecks = new WeakMap<CheckTexts, Awaited<ReturnType<typeof compileChecks>>>()

const compileChecksOnce: typeof compileChecks = async (texts, budget) => {
  const checks = compiledChecks.get(texts) ?? await compileChecks(texts, budget)
  compiledChecks.set(texts, checks)
  return checks
}

const compileWithoutPatterns = async (
  { dialect, header, folderNote, ...parsed }: UncompiledRule,
  budget: Budget,
): Promise<Result<Rule, Pick<RuleFault, 'reason' | 'line'>>> => {
  const { keys, lines } = header
  const failAt = (key: string | undefined, reason: string) => fail({ reason, line: lines[key ?? ''] })
  const { kind, globs, keywords = [] } = parsed
  if (keywords.length > budget.keywords) {
    const limit = `the rules of the session exceed the limit of ${sessionBudget().keywords}`
    return failAt('keywords', `with its ${pluralize(keywords.length, 'keyword')}, ${limit}`)
  }
  budget.keywords -= keywords.length
  // Conditions in another tool's folder (`.cursor/rules`) are ignored, because they name that tool's agents and models.
  const { data: conditions, error } = await conditionsOf(dialect.folder === null ? keys : {}, budget)
  if (error !== null) return failAt(error.key, error.reason)
  const notes = [...header.notes, ...unreadNotes(dialect, header), ...folderNote ? [folderNote] : []]
  const hasExamples = [keys.bad, keys.good].some((examples) => examples?.length)
  const rule: Rule = { ...parsed, conditions, note: notes.join('; ') || undefined, hasExamples }
  // If a rule that is always sent has patterns, its globs decide which files the patterns check.
  const needsGlobs = kind === 'file' || patternCount(keys) > 0
  if (!globs || !needsGlobs) return ok(rule)
  // The glob library is loaded only here, because most rules have no globs.
  const applies = (await import('./rule-globs.ts')).matcherOfGlobs(globs, budget)
  if (applies.error !== null) return failAt(dialect.globKeys.find((key) => keys[key]), applies.error)
  return ok({ ...rule, applies: applies.data })
}

/** Returns null if the budget does not suffice. */
const checksWithin = async (budget: Budget, { keys, checkFault }: RuleText) => {
  const count = patternCount(keys)
  if (count > budget.patterns) return null
  const checks = checkFault ? fail(checkFault) : await compileChecksOnce(keys, budget)
  if (!checks.data) return checks
  // Even a short pattern may compile to a thousand instructions: `a{1000}`.
  const instructions = totalSizeOf(checks.data)
  if (instructions > budget.instructions) return null
  budget.patterns -= count
  budget.instructions -= instructions
  return checks
}

export type CompiledRules = {
  rules: Array<Rule>
  /** The rules that are not sent, and the rules that are sent without their patterns. */
  leftOut: Array<RuleFault>
}

export const compileRules = async (
  uncompiled: Array<UncompiledRule>,
  withPatterns: boolean,
  budget: Budget,
): Promise<CompiledRules> => {
  const rules: Array<Rule> = []
  const leftOut: Array<RuleFault> = []
  const uncheckedIn: Array<RuleFolder> = []
  for (const each of uncompiled) {
    const { folder, path, realPath, name, header } = each
    const { data: rule, error } = await compileWithoutPatterns(each, budget)
    const checks = rule && withPatterns ? await checksWithin(budget, header) : ok(undefined)
    const fault = error ?? (checks?.error && { ...checks.error, isSent: true as const })
    if (fault) leftOut.push({ folder, path, realPath, name, ...fault })
    if (rule) rules.push({ ...rule, checks: checks?.data ?? undefined })
    if (checks === null) uncheckedIn.push(folder)
  }
  const [folder] = uncheckedIn
  if (folder) {
    const have = `${pluralize(uncheckedIn.length, 'rule')} ${uncheckedIn.length === 1 ? 'has' : 'have'}`
    const reason =
      `${have} patterns beyond the limit of a session (${sessionBudget().patterns}, or fewer if the patterns are large)`
    leftOut.push({ folder, path: folder.path, reason, isSent: true })
  }
  return { rules, leftOut }
}
