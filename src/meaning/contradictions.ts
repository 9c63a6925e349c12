/** Parsed rules that cannot both hold, and rules that are there twice. */
import type { ParsedRule } from '../rule-schema.ts'

/** Two rules by their numbers, from 1: one is obligatory and the other forbidden, or both say the same. */
export type RulePair = { kind: 'contradiction' | 'repetition'; first: number; second: number }

const CONTRARY: Partial<Record<ParsedRule['strength'], ParsedRule['strength']>> = {
  obligatory: 'forbidden',
  forbidden: 'obligatory',
}

const keyOf = (strength: string | undefined, { action, target, context = '' }: ParsedRule): string =>
  [strength, action, target, context].map((part) => part?.trim().toLowerCase()).join('\n')

/**
 * Finds the rules with the action, target and context of one before them, capitals apart, that have the same strength
 * or the contrary one; each is paired with the first such.
 */
export const pairsOf = (rules: Array<ParsedRule>): Array<RulePair> => {
  const firsts = new Map<string, number>()
  return rules.flatMap((rule, index): Array<RulePair> => {
    const same = keyOf(rule.strength, rule)
    const first = firsts.get(same)
    const contrary = firsts.get(keyOf(CONTRARY[rule.strength], rule))
    if (first === undefined) firsts.set(same, index + 1)
    return [
      ...(first === undefined ? [] : [{ kind: 'repetition' as const, first, second: index + 1 }]),
      ...(contrary === undefined
        ? []
        : [{ kind: 'contradiction' as const, first: contrary, second: index + 1 }]),
    ]
  })
}
