/** Recognizes the keys of a header: SAT's own, and keys of other tools that mean the same or limit a rule. */
import leven from 'leven'
import { CHECK_KEYS } from '../checks/patterns.ts'
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { CONDITION_KEYS } from './conditions.ts'
import { GLOB_KEYS, listOf } from './header-values.ts'

const KEYS = [
  ...GLOB_KEYS,
  ...CONDITION_KEYS,
  'keywords',
  'alwaysApply',
  'description',
  ...CHECK_KEYS,
] as const
/** A key that SAT reads. */
export type RuleKey = (typeof KEYS)[number]

const SINGULARS = new Map(
  [...CONDITION_KEYS, 'keywords' as const].map((key) => [key.replace(/e?s$/, ''), key]),
)

/** Returns the key of SAT that a word is, or is the singular of: `branches` for `branch`; else undefined. */
export const ruleKeyOf = (word: string): RuleKey | undefined =>
  KEYS.find((key) => key === word) ?? SINGULARS.get(word)

// `bad` and `require` are missing: a person's own keys, such as `bar` and `required`, are close to them.
const OFTEN_MISSPELT = [...GLOB_KEYS, 'agents', 'alwaysApply', 'forbid'] as const

/** Returns the key that a word is most likely a misspelling of: `globs` for `glob`, `applyTo` for `applies_to`. */
export const similarKeyOf = (word: string): RuleKey | undefined => {
  const letters = word.toLowerCase().replace(/[_-]/g, '')
  return OFTEN_MISSPELT.find((key) => leven(key.toLowerCase(), letters) <= (key.length > 6 ? 3 : 1))
}

// The entries with which other tools say when a rule is sent: `trigger` of Windsurf and Antigravity, `inclusion` of
// Kiro, `type` of Augment. A rule that is not always sent is sent by its patterns or its description.
const ALWAYS = /^(?:trigger: always_on|inclusion: always|type: always_apply)$/
const NOT_ALWAYS =
  /^(?:trigger: (?:glob|model_decision|manual)|inclusion: (?:fileMatch|auto|manual)|type: (?:agent_requested|manual))$/

/** Translates an entry of another tool into one with a key of SAT; undefined if there is no equivalent. */
export const translatedEntry = (entry: FrontmatterEntry): FrontmatterEntry | undefined => {
  const { key, value } = entry
  if (key === 'fileMatchPattern') return { ...entry, key: 'globs' }
  const [, word = ''] = /^\s*["']?([\w-]+)/.exec(value) ?? []
  const isAlways = ALWAYS.test(`${key}: ${word}`)
  return isAlways || NOT_ALWAYS.test(`${key}: ${word}`)
    ? { ...entry, key: 'alwaysApply', value: ` ${isAlways}` }
    : undefined
}

// Keys of opencode-rules, Continue, Copilot, Kiro, OpenHands and Windsurf. `type` is missing: people use it for values
// of their own.
const LIMITING =
  /^(?:ci|command|excludeAgent|fileContains|files|inclusion|match|os|project|regex|tools|triggers?)$/

/** Whether an entry that SAT does not read limits a rule in another tool: by a known key, or by patterns for files. */
export const isLimiting = (entry: FrontmatterEntry): boolean => {
  const items = listOf(entry).data ?? []
  // Matches `src/*.ts`, but not prose.
  const isFilePattern = (text: string) => !/\s/.test(text) && text.includes('*') && /[./]/.test(text)
  return LIMITING.test(entry.key) || (items.length > 0 && items.every(isFilePattern))
}
