import { withoutMark } from '../read-text.ts'
import { fail, ok, type Result } from '../safe.ts'

/** The frontmatter keys that hold globs, as OpenCode and Cursor, Claude Code, and Copilot spell them. */
export const GLOB_KEYS = ['globs', 'paths', 'applyTo']

/** What is wrong in a rule file's frontmatter, and on which line of the file, counted from 1. */
export type RuleFault = { line: number; reason: string }

/** What a rule file says: its words without frontmatter, and the globs it is bound to; `null`: to none. */
export type RuleText = { body: string; globs: Array<string> | null }

const KNOWN_KEY = new RegExp(`^(?:${GLOB_KEYS.join('|')}|alwaysApply|description)[ \\t]*:`, 'm')
const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/

/**
 * Reads what a rule file says (rule-discovery.md, Rule File Formats). Without globs, or with `alwaysApply: true`, it
 * is bound to no file. Frontmatter that cannot be understood is a fault: its rule must neither be sent always nor be
 * lost without a word.
 */
export const readRuleText = async (text: string): Promise<Result<RuleText, RuleFault>> => {
  const plain = withoutMark(text)
  const block = BLOCK.exec(plain)
  if (!block) {
    const opened = /^---[ \t]*\r?\n((?:.+(?:\r?\n|$))*)/.exec(plain)?.[1] ?? ''
    return KNOWN_KEY.test(opened)
      ? fail({ line: 1, reason: 'the frontmatter is not closed with ---' })
      : ok({ body: plain.trim(), globs: null })
  }
  // YAML is a large library, and most rules have no frontmatter. It is a CommonJS package: by a dynamic import of its
  // own, a bundle would not find its names.
  const { readFrontmatter } = await import('./rule-frontmatter.ts')
  const frontmatter = readFrontmatter(block[1]!)
  if (frontmatter.error !== null) return frontmatter
  // Prose between two rulers is no frontmatter, but a key without a space behind its colon was meant as one.
  if (frontmatter.data === null) {
    return KNOWN_KEY.test(block[1]!)
      ? fail({ line: 2, reason: 'it is no list of keys; a key is written "key: value", with a space' })
      : ok({ body: plain.trim(), globs: null })
  }
  return ok({ body: plain.slice(block[0].length).trim(), globs: frontmatter.data.globs })
}
