import { frontmatterOf } from '../markdown/frontmatter.ts'
import { ok, type Result } from '../safe.ts'
import { withoutMark } from '../text/read.ts'
import type { RuleDialect, RuleKind } from './rule-dialect.ts'
import type { RuleFault, RuleKeys } from './rule-frontmatter.ts'

/** What a rule file says: its text without frontmatter, when it is sent, and its own description. */
export type RuleText = RuleKind & { body: string; description?: string }

/**
 * Reads the text of a rule file (rule-discovery.md, Rule File Formats) in the dialect of its folder. Frontmatter that
 * cannot be read is a fault, and the person is told: nobody knows when the rule was to be sent.
 */
export const readRuleText = async (
  text: string,
  dialect: RuleDialect,
): Promise<Result<RuleText, RuleFault>> => {
  const plain = withoutMark(text)
  const block = frontmatterOf(plain)
  const keys: Result<RuleKeys, RuleFault> = block === null
    ? ok({})
    // The reader of frontmatter is loaded only when a rule has some, which most have not.
    : await (await import('./rule-frontmatter.ts')).readRuleKeys(block)
  if (keys.error !== null) return keys
  const { description } = keys.data
  return ok({
    body: plain.slice(block?.length ?? 0).trim(),
    ...dialect.kindOf(keys.data),
    ...(description ? { description } : {}),
  })
}
