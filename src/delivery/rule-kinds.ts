/** What a rule file means in the folder of the tool that it was written for; `docs/rule-files.md` has the table. */
import { sep } from 'node:path'
import type { RuleKeys } from './rule-header.ts'

/**
 * When a rule is sent to a session: always; when a matching file is in it; offered in one line, for the model to read;
 * or not at all.
 */
export type RuleKind = { kind: 'always' | 'file' | 'offered' | 'manual'; globs?: Array<string> }

/** How the rule files of a folder are found, named and read. */
export type RuleDialect = {
  /** The tool's folder, as a path's last segments; `null` for every other folder. */
  folder: string | null
  /** How its rule files end. A rule's name is its path in the rule folder without that. */
  ending: RegExp
  kindOf: (keys: RuleKeys) => RuleKind
}

const ALWAYS: RuleKind = { kind: 'always' }
const MANUAL: RuleKind = { kind: 'manual' }

const byGlobs = (...lists: Array<Array<string> | undefined>): RuleKind | null => {
  const globs = lists.flatMap((list) => list ?? [])
  return globs.length > 0 ? { kind: 'file', globs } : null
}

/** Reads Copilot's key, in which a pattern for every file means "always". */
const byApplyTo = ({ applyTo }: RuleKeys): RuleKind | null =>
  applyTo?.some((glob) => ['**', '**/*', '*'].includes(glob)) ? ALWAYS : null

const byDescription = ({ description }: RuleKeys): RuleKind => description ? { kind: 'offered' } : MANUAL

/** Reads `alwaysApply` first, then the globs, then the description; a rule without any of them always applies. */
const byAlwaysApply = (keys: RuleKeys, bound: RuleKind | null): RuleKind => {
  if (keys.alwaysApply === true) return ALWAYS
  return bound ?? (keys.description || keys.alwaysApply === false ? byDescription(keys) : ALWAYS)
}

const OWN: RuleDialect = {
  folder: null,
  ending: /\.mdc?$/i,
  kindOf: (keys) => byAlwaysApply(keys, byApplyTo(keys) ?? byGlobs(keys.globs, keys.paths, keys.applyTo)),
}

/** The dialects of other tools, whose folders `rules.directories` may name. */
export const OTHER_TOOLS: Array<RuleDialect & { folder: string }> = [
  { folder: '.cursor/rules', ending: /\.mdc?$/i, kindOf: (keys) => byAlwaysApply(keys, byGlobs(keys.globs)) },
  { folder: '.claude/rules', ending: /\.md$/, kindOf: ({ paths }) => byGlobs(paths) ?? ALWAYS },
  {
    folder: '.github/instructions',
    ending: /\.instructions\.md$/,
    kindOf: (keys) => byApplyTo(keys) ?? byGlobs(keys.applyTo) ?? byDescription(keys),
  },
  {
    folder: '.clinerules',
    ending: /(?<!^(?:workflows|hooks|skills)\/.*)\.(?:md|txt)$/,
    // An empty list is "never".
    kindOf: ({ paths }) => paths?.length === 0 ? MANUAL : byGlobs(paths) ?? ALWAYS,
  },
]

/** Gives the dialect of the rule files in a folder. */
export const dialectOf = (path: string): RuleDialect => {
  const folders = `${path.split(sep).join('/')}/`
  return OTHER_TOOLS.find(({ folder }) => folders.includes(`/${folder}/`)) ?? OWN
}
