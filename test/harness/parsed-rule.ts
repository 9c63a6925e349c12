import { type ParsedRule, STRENGTHS } from '../../src/rule-schema.ts'

/** Creates a parsed rule from `strength, action, target[, context]`. */
export const toParsedRule = (text: string): ParsedRule => {
  const [strength, action = '', target = '', context] = text.split(', ')
  return {
    strength: STRENGTHS.find((name) => name === strength)!,
    action,
    target,
    ...(context === undefined ? {} : { context }),
    reason: 'because',
  }
}
