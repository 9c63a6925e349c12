import { frontmatterOf } from '../files/frontmatter.ts'
import { withoutMark } from '../files/read.ts'
import { ok, type Result } from '../safe.ts'
import type { RuleDialect, RuleKind } from './rule-dialect.ts'
import type { RuleFault, RuleKeys } from './rule-frontmatter.ts'

/** What a rule file says: its words without frontmatter, when they are sent, and what it says of itself. */
export type RuleText = RuleKind & { body: string; description?: string }

/**
 * Reads what a rule file says (rule-discovery.md, Rule File Formats), as the tool means it whose folder it is in.
 * Frontmatter that cannot be understood is a fault: its rule must neither be sent always nor be lost without a word.
 */
export const readRuleText = async (
  text: string,
  dialect: RuleDialect,
): Promise<Result<RuleText, RuleFault>> => {
  const plain = withoutMark(text)
  const block = frontmatterOf(plain)
  const keys: Result<RuleKeys, RuleFault> = block === null
    ? ok({})
    // Most rules have no frontmatter, and then its reader is not loaded.
    : await (await import('./rule-frontmatter.ts')).readRuleKeys(block)
  if (keys.error !== null) return keys
  const { description } = keys.data
  return ok({
    body: plain.slice(block?.length ?? 0).trim(),
    ...dialect.kindOf(keys.data),
    ...(description ? { description } : {}),
  })
}
