/**
 * Compiles the conditions, globs and patterns of rules, in their order: the person's own come first. All of them share
 * the budget of a session.
 */
import { type Budget, NO_ROOM, sessionBudget } from '../checks/budget.ts'
import { compileChecks, patternCount, sizeOf } from '../checks/patterns.ts'
import { fail, ok } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { conditionsOf } from './conditions.ts'
import type { Rule, WrittenRule } from './rule-files.ts'
import type { LeftOut } from './rule-walk.ts'

/** A rule, what is left out of it or why it is left out, and what it takes of the budget. */
type Compiled = { rule?: Rule; leftOut?: LeftOut; takes: Omit<Budget, 'ms'> }

const NOTHING = { patterns: 0, instructions: 0, globs: 0 }

const faultOf = (
  { folder, path, name }: WrittenRule,
  { reason, line }: { reason: string; line?: number | undefined },
): LeftOut => ({ folder, path, name, reason, line })

/** Compiles a rule; `hasChecks` says whether its patterns are compiled, too. */
const compileRule = async (written: WrittenRule, budget: Budget, hasChecks: boolean): Promise<Compiled> => {
  const { dialect, header: { keys, lines, checkFault }, ...found } = written
  const { globs } = budget
  const leftOut = (reason: string, key = ''): Compiled => ({
    leftOut: faultOf(written, { reason, line: lines[key] }),
    takes: NOTHING,
  })
  // Other tools mean agents and models of their own.
  const conditions = await conditionsOf(dialect.folder === null ? keys : {}, budget)
  if (conditions.error !== null) return leftOut(conditions.error.reason, conditions.error.key)
  const rule: Rule = { ...found, conditions: conditions.data }
  if (rule.globs && (rule.kind === 'file' || patternCount(keys) > 0)) {
    // The library for globs is loaded only when a rule has some, which most have not.
    const applies = (await import('./rule-globs.ts')).matcherOfAll(rule.globs, budget)
    if (applies.error !== null) return leftOut(applies.error, dialect.globKeys.find((key) => keys[key]))
    rule.applies = applies.data
  }
  const checks = !hasChecks
    ? ok(undefined)
    : checkFault
    ? fail(checkFault)
    : await compileChecks(keys, budget)
  rule.checks = checks.data
  return {
    rule,
    ...(checks.error && { leftOut: { ...faultOf(written, checks.error), isSent: true as const } }),
    takes: {
      globs: globs - budget.globs,
      patterns: rule.checks ? patternCount(keys) : 0,
      instructions: rule.checks ? sizeOf(rule.checks) : 0,
    },
  }
}

/** Makes the function that compiles a rule once, with its patterns or without them, as long as there is room for its globs. */
const onceCompiled = () => {
  const known = [new WeakMap<WrittenRule, Compiled>(), new WeakMap<WrittenRule, Compiled>()] as const
  return async (written: WrittenRule, budget: Budget, hasChecks: boolean): Promise<Compiled> => {
    const before = known[hasChecks ? 0 : 1].get(written)
    if (before) budget.globs -= before.takes.globs
    const compiled = before ?? await compileRule(written, budget, hasChecks)
    if (compiled.leftOut?.reason !== NO_ROOM) known[hasChecks ? 0 : 1].set(written, compiled)
    return compiled
  }
}

/**
 * Makes the function that compiles the rules of a session. A rule that was compiled before, or for which there was no
 * time, is the same as before.
 *
 * @param hasChecks the option `rules.checks`
 */
export const rulesCompiler = (hasChecks: boolean) => {
  const compiledBy = onceCompiled()
  return async (
    written: Array<WrittenRule>,
    budget = sessionBudget(),
  ): Promise<{ rules: Array<Rule>; leftOut: Array<LeftOut> }> => {
    const max = budget.patterns
    const found: Array<Compiled> = []
    const unchecked: Array<WrittenRule> = []
    for (const one of written) {
      // They are counted before one of them is compiled.
      let isOver = hasChecks && patternCount(one.header.keys) > budget.patterns
      let compiled = await compiledBy(one, budget, hasChecks && !isOver)
      if (compiled.takes.instructions > budget.instructions) {
        isOver = true
        compiled = await compiledBy(one, budget, false)
      }
      found.push(compiled)
      if (isOver) unchecked.push(one)
      budget.patterns -= compiled.takes.patterns
      budget.instructions -= compiled.takes.instructions
    }
    const leftOut = found.flatMap((one) => one.leftOut ?? [])
    for (const { folder } of unchecked.slice(0, 1)) {
      const what = `${pluralize(unchecked.length, 'rule')} ${
        unchecked.length === 1 ? 'has' : 'have'
      } patterns`
      const reason = `${what} beyond the ${max} that a session takes, or the fewer large ones`
      leftOut.push({ folder, path: folder.path, reason, isSent: true })
    }
    return { rules: found.flatMap(({ rule }) => rule ?? []), leftOut }
  }
}
