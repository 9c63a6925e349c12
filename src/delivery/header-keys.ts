/** Recognizes keys of a rule's header: SAT's keys, and other tools' keys that SAT translates or that limit rules. */
import leven from 'leven'
import { CHECK_KEYS } from '../checks/patterns.ts'
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { CONDITION_KEYS } from './conditions.ts'
import { GLOB_KEYS, listOf } from './header-values.ts'

const PLURAL_KEYS = [...CONDITION_KEYS, 'keywords'] as const
const KEYS = [...GLOB_KEYS, ...PLURAL_KEYS, 'alwaysApply', 'description', ...CHECK_KEYS] as const

export type RuleKey = (typeof KEYS)[number]

/** Also recognizes a singular: `branch` → `branches`, `agent` → `agents`. */
export const ruleKeyOf = (word: string): RuleKey | undefined =>
  KEYS.find((key) => key === word) ?? PLURAL_KEYS.find((key) => key.replace(/e?s$/, '') === word)

// `bad` and `require` are left out, because people's own keys `bar` and `required` would count as misspelt.
const OFTEN_MISSPELT = [...GLOB_KEYS, 'agents', 'alwaysApply', 'forbid'] as const

/** Returns the key that a misspelt word probably means: `applyTo` for `applies_to`. */
export const similarKeyOf = (word: string): RuleKey | undefined => {
  const letters = word.toLowerCase().replace(/[_-]/g, '')
  const maxTypos = (key: string) => key.length > 6 ? 3 : 1
  return OFTEN_MISSPELT.find((key) => leven(key.toLowerCase(), letters) <= maxTypos(key))
}

// `trigger` of Windsurf and Antigravity, `inclusion` of Kiro and `type` of Augment say whether a rule is always sent.
const ALWAYS = /^(?:trigger: always_on|inclusion: always|type: always_apply)$/
const NOT_ALWAYS =
  /^(?:trigger: (?:glob|model_decision|manual)|inclusion: (?:fileMatch|auto|manual)|type: (?:agent_requested|manual))$/

/** Translates an entry of another tool: `trigger: glob` → `alwaysApply: false`. */
export const translatedEntry = (entry: FrontmatterEntry): FrontmatterEntry | undefined => {
  const { key, value } = entry
  if (key === 'fileMatchPattern') return { ...entry, key: 'globs' }
  const [, firstWord = ''] = /^\s*["']?([\w-]+)/.exec(value) ?? []
  const plainEntry = `${key}: ${firstWord}`
  // As in a file, a value begins with the space after the colon.
  if (ALWAYS.test(plainEntry)) return { ...entry, key: 'alwaysApply', value: ' true' }
  if (NOT_ALWAYS.test(plainEntry)) return { ...entry, key: 'alwaysApply', value: ' false' }
  return undefined
}

// Keys by which opencode-rules, Continue, Copilot, Kiro, OpenHands and Windsurf limit rules, except `type`, which has
// many other uses.
const LIMITING_KEY =
  /^(?:ci|command|excludeAgent|fileContains|files|inclusion|match|os|project|regex|tools|triggers?)$/

/** Whether an entry that SAT does not read would limit the rule in another tool. */
export const isLimiting = (entry: FrontmatterEntry): boolean => {
  const items = listOf(entry).data ?? []
  const isFilePattern = (text: string) => !/\s/.test(text) && text.includes('*') && /[./]/.test(text)
  return LIMITING_KEY.test(entry.key) || (items.length > 0 && items.every(isFilePattern))
}

export const isHeaderEntry = (entry: FrontmatterEntry): boolean =>
  ruleKeyOf(entry.key) !== undefined || translatedEntry(entry) !== undefined || isLimiting(entry)
