/** Parsed rules that cannot both hold, and rules that are there twice. */
import type { ParsedRule } from '../rule-schema.ts'

/** Two rules by their numbers, from 1: one is obligatory and the other forbidden, or both say the same. */
export type RulePair = { kind: 'contradiction' | 'repetition'; first: number; second: number }

const CONTRARY: Record<string, string> = { obligatory: 'forbidden', forbidden: 'obligatory' }

/** Finds rules with the words of an earlier one, capitals apart, and its strength or the contrary one. */
export const pairsOf = (rules: Array<ParsedRule>): Array<RulePair> => {
  const firsts = new Map<string, number>()
  return rules.flatMap(({ strength, action, target, context = '' }, index): Array<RulePair> => {
    const words = [action, target, context].map((part) => part.trim().toLowerCase()).join('\n')
    const second = index + 1
    const [same, contrary] = [strength, CONTRARY[strength]].map((one) => firsts.get(`${one}\n${words}`))
    if (same === undefined) firsts.set(`${strength}\n${words}`, second)
    const repetition = same === undefined ? [] : [{ kind: 'repetition' as const, first: same, second }]
    return contrary === undefined
      ? repetition
      : [...repetition, { kind: 'contradiction', first: contrary, second }]
  })
}
