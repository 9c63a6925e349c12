/** Keys of other tools' rule files: those that say what a key here says, and those that limit a rule there and not here. */
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { listOf } from './header-values.ts'

/**
 * Words for when a rule is sent, by their key, and whether they are `alwaysApply: true`: of Windsurf and Antigravity, of Kiro, of
 * Augment. Where they are not, the patterns or the description say when.
 */
const MODES: Record<string, Record<string, boolean>> = {
  trigger: { always_on: true, glob: false, model_decision: false, manual: false },
  inclusion: { always: true, fileMatch: false, auto: false, manual: false },
  type: { always_apply: true, agent_requested: false, manual: false },
}

/** Keys for the same: of Kiro. */
const SAME: Record<string, string> = { fileMatchPattern: 'globs' }

/** A key and its value, as they are written. */
type Pair = { key: string; value: string }

/** Gives the key and the value here that a pair of another tool stands for; undefined where there is none. */
export const ownPairOf = ({ key, value }: Pair): Pair | undefined => {
  if (Object.hasOwn(SAME, key)) return { key: SAME[key]!, value }
  const modes = Object.hasOwn(MODES, key) ? MODES[key]! : {}
  const [, word = ''] = /^\s*["']?([\w-]+)/.exec(value) ?? []
  return Object.hasOwn(modes, word) ? { key: 'alwaysApply', value: ` ${modes[word]}` } : undefined
}

// Of opencode-rules, Continue, Copilot, Kiro, OpenHands and Windsurf. A word of `type` that is not known may be of a person's own.
const LIMITING = new Set(
  ['ci', 'command', 'excludeAgent', 'fileContains', 'files', 'inclusion', 'match', 'os', 'project', 'regex']
    .concat('tools', 'trigger', 'triggers'),
)

/** Whether a text is a pattern for files, and no prose. */
const isFilePattern = (text: string): boolean => !/\s/.test(text) && text.includes('*') && /[./]/.test(text)

/** Whether a key limits a rule in another tool, and is not read here: one that is known, or one with patterns for files. */
export const isLimiting = (entry: FrontmatterEntry): boolean => {
  const items = listOf(entry).data ?? []
  return LIMITING.has(entry.key) || (items.length > 0 && items.every(isFilePattern))
}
