/**
 * Compiles the conditions, globs and patterns of rules. All rules of a session share one budget, in the given order;
 * the caller puts the person's own rules first.
 */
import { type Budget, NO_ROOM, sessionBudget } from '../checks/budget.ts'
import { compileChecks, patternCount, totalSizeOf } from '../checks/patterns.ts'
import { fail } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { conditionsOf } from './conditions.ts'
import type { Rule, UncompiledRule } from './rule-files.ts'
import type { RuleFault } from './rule-walk.ts'
import { unreadNotes } from './rules-of-other-tools.ts'

/** A compiled rule, the fault because of which the rule or its patterns are left out, and its cost to the budget. */
type Compiled = { rule?: Rule; leftOut?: RuleFault; cost: Omit<Budget, 'ms'> }

/** Compiles a rule. Its patterns are compiled only with `withPatterns`. */
const compileRule = async (
  uncompiled: UncompiledRule,
  budget: Budget,
  withPatterns: boolean,
): Promise<Compiled> => {
  const { dialect, header, missingFolder, ...read } = uncompiled
  const { keys, lines, checkFault } = header
  const { folder, path, name } = read
  const cost = { patterns: 0, instructions: 0, globs: 0 }
  const leaveOut = (reason: string, key = ''): Compiled => ({
    leftOut: { folder, path, name, reason, line: lines[key] },
    cost,
  })
  const globsBefore = budget.globs
  // In the folder of another tool, these keys name that tool's agents and models.
  const conditions = await conditionsOf(dialect.folder === null ? keys : {}, budget)
  if (conditions.error !== null) return leaveOut(conditions.error.reason, conditions.error.key)
  const notes = [...header.notes, ...unreadNotes(dialect, header), ...missingFolder ? [missingFolder] : []]
  const hasExamples = [keys.bad, keys.good].some((examples) => examples?.length)
  const rule: Rule = {
    ...read,
    conditions: conditions.data,
    note: notes.join('; ') || undefined,
    hasExamples,
  }
  if (rule.globs && (rule.kind === 'file' || patternCount(keys) > 0)) {
    // Most rules have no globs. The library is loaded for the first rule that has some.
    const applies = (await import('./rule-globs.ts')).matcherOfAll(rule.globs, budget)
    if (applies.error !== null) return leaveOut(applies.error, dialect.globKeys.find((key) => keys[key]))
    rule.applies = applies.data
  }
  cost.globs = globsBefore - budget.globs
  if (!withPatterns) return { rule, cost }
  const checks = checkFault ? fail(checkFault) : await compileChecks(keys, budget)
  if (checks.error !== null) {
    return { rule, leftOut: { folder, path, name, ...checks.error, isSent: true }, cost }
  }
  if (checks.data) {
    rule.checks = checks.data
    cost.patterns = patternCount(keys)
    cost.instructions = totalSizeOf(checks.data)
  }
  return { rule, cost }
}

/**
 * Creates a cached `compileRule`. A rule is compiled at most once with its patterns, and once without them, unless its
 * globs had no room in the budget.
 */
const cachedCompiler = () => {
  const cacheWithPatterns = new WeakMap<UncompiledRule, Compiled>()
  const cacheWithoutPatterns = new WeakMap<UncompiledRule, Compiled>()
  return async (uncompiled: UncompiledRule, budget: Budget, withPatterns: boolean): Promise<Compiled> => {
    const cache = withPatterns ? cacheWithPatterns : cacheWithoutPatterns
    const cached = cache.get(uncompiled)
    if (cached) budget.globs -= cached.cost.globs
    const compiled = cached ?? await compileRule(uncompiled, budget, withPatterns)
    // Once another rule is removed, there may be room for the globs of this one.
    if (compiled.leftOut?.reason !== NO_ROOM) cache.set(uncompiled, compiled)
    return compiled
  }
}

/**
 * Creates the function that compiles the rules of a session. Compiling an unchanged rule again returns the same object.
 * A rule that was left out for lack of time stays left out until its file changes.
 *
 * @param withPatterns whether patterns are compiled at all: the option `rules.checks`
 */
export const rulesCompiler = (withPatterns: boolean) => {
  const compile = cachedCompiler()
  return async (
    uncompiled: Array<UncompiledRule>,
    budget = sessionBudget(),
  ): Promise<{ rules: Array<Rule>; leftOut: Array<RuleFault> }> => {
    const max = budget.patterns
    const rules: Array<Rule> = []
    const leftOut: Array<RuleFault> = []
    const unchecked: Array<UncompiledRule> = []
    for (const rule of uncompiled) {
      // If a rule has more patterns than the session has left, none of them is compiled.
      let isOver = withPatterns && patternCount(rule.header.keys) > budget.patterns
      let compiled = await compile(rule, budget, withPatterns && !isOver)
      if (compiled.cost.instructions > budget.instructions) {
        isOver = true
        compiled = await compile(rule, budget, false)
      }
      if (compiled.rule) rules.push(compiled.rule)
      if (compiled.leftOut) leftOut.push(compiled.leftOut)
      if (isOver) unchecked.push(rule)
      budget.patterns -= compiled.cost.patterns
      budget.instructions -= compiled.cost.instructions
    }
    const [firstUnchecked] = unchecked
    if (firstUnchecked) {
      const { folder } = firstUnchecked
      const have = `${pluralize(unchecked.length, 'rule')} ${unchecked.length === 1 ? 'has' : 'have'}`
      const reason = `${have} patterns beyond the limit of a session (${max}; fewer if they are large)`
      leftOut.push({ folder, path: folder.path, reason, isSent: true })
    }
    return { rules, leftOut }
  }
}
