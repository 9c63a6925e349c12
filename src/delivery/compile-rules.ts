/** Compiles the conditions, globs and patterns of rules, within one budget for all rules of a session. */
import { type Budget, sessionBudget } from '../checks/budget.ts'
import { type CheckTexts, compileChecks, patternCount, totalSizeOf } from '../checks/patterns.ts'
import { fail } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { conditionsOf } from './conditions.ts'
import { unreadNotes } from './rule-dialects.ts'
import type { Rule, UncompiledRule } from './rule-files.ts'
import type { RuleText } from './rule-frontmatter.ts'
import type { RuleFault } from './rule-walk.ts'

type Compiled = {
  rule?: Rule
  /** If `rule` is set, only its patterns are left out. */
  fault?: RuleFault
  isOverBudget?: true
}

// The `keys` object of a header stays the same until the file changes.
const compiledChecks = new WeakMap<CheckTexts, Awaited<ReturnType<typeof compileChecks>>>()

const compileChecksOnce: typeof compileChecks = async (texts, budget) => {
  const checks = compiledChecks.get(texts) ?? await compileChecks(texts, budget)
  compiledChecks.set(texts, checks)
  return checks
}

const compileWithoutPatterns = async (
  { dialect, header, folderNote, ...parsed }: UncompiledRule,
  budget: Budget,
): Promise<Compiled> => {
  const { keys, lines } = header
  const { folder, path, realPath, name } = parsed
  const place = { folder, path, realPath, name }
  const leaveOut = (reason: string, key = '') => ({ fault: { ...place, reason, line: lines[key] } })
  const keywordCount = parsed.keywords?.length ?? 0
  if (keywordCount > budget.keywords) {
    const limit = `the rules of the session exceed the limit of ${sessionBudget().keywords}`
    return leaveOut(`with its ${pluralize(keywordCount, 'keyword')}, ${limit}`, 'keywords')
  }
  budget.keywords -= keywordCount
  // In another tool's folder, conditions name the agents and models of this tool, not of the host.
  const conditions = await conditionsOf(dialect.folder === null ? keys : {}, budget)
  if (conditions.error !== null) return leaveOut(conditions.error.reason, conditions.error.key)
  const notes = [...header.notes, ...unreadNotes(dialect, header), ...folderNote ? [folderNote] : []]
  const hasExamples = [keys.bad, keys.good].some((examples) => examples?.length)
  const note = notes.join('; ') || undefined
  const rule: Rule = { ...parsed, conditions: conditions.data, note, hasExamples }
  // Globs also decide which files are checked against a rule's patterns.
  const needsGlobs = rule.kind === 'file' || patternCount(keys) > 0
  if (!rule.globs || !needsGlobs) return { rule }
  // The glob library is loaded only here, because most rules have no globs.
  const applies = (await import('./rule-globs.ts')).matcherOfGlobs(rule.globs, budget)
  if (applies.error !== null) return leaveOut(applies.error, dialect.globKeys.find((key) => keys[key]))
  return { rule: { ...rule, applies: applies.data } }
}

const addPatterns = async (rule: Rule, { keys, checkFault }: RuleText, budget: Budget): Promise<Compiled> => {
  const count = patternCount(keys)
  if (count > budget.patterns) return { rule, isOverBudget: true }
  const checks = checkFault ? fail(checkFault) : await compileChecksOnce(keys, budget)
  if (checks.error !== null) {
    const { folder, path, realPath, name } = rule
    return { rule, fault: { folder, path, realPath, name, ...checks.error, isSent: true } }
  }
  if (!checks.data) return { rule }
  // Even a short pattern may compile to a thousand instructions: `a{1000}`.
  const instructions = totalSizeOf(checks.data)
  if (instructions > budget.instructions) return { rule, isOverBudget: true }
  budget.patterns -= count
  budget.instructions -= instructions
  return { rule: { ...rule, checks: checks.data } }
}

/** `leftOut` includes rules that are sent without their patterns. */
export const compileRules = async (
  uncompiled: Array<UncompiledRule>,
  withPatterns: boolean,
  budget = sessionBudget(),
): Promise<{ rules: Array<Rule>; leftOut: Array<RuleFault> }> => {
  const compiled: Array<Compiled> = []
  for (const each of uncompiled) {
    let result = await compileWithoutPatterns(each, budget)
    if (result.rule && withPatterns) result = await addPatterns(result.rule, each.header, budget)
    compiled.push(result)
  }
  const leftOut = compiled.flatMap(({ fault }) => fault ?? [])
  const unchecked = compiled.flatMap(({ rule, isOverBudget }) => rule && isOverBudget ? rule : [])
  if (unchecked.length > 0) {
    const { folder } = unchecked[0]!
    const have = `${pluralize(unchecked.length, 'rule')} ${unchecked.length === 1 ? 'has' : 'have'}`
    const reason =
      `${have} patterns beyond the limit of a session (${sessionBudget().patterns}, or fewer if the patterns are large)`
    leftOut.push({ folder, path: folder.path, reason, isSent: true })
  }
  return { rules: compiled.flatMap(({ rule }) => rule ?? []), leftOut }
}
