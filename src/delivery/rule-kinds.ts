/** What a rule file means in the folder of the tool that it was written for; `docs/rule-files.md` has the table. */
import { sep } from 'node:path'
import { frontmatterOf } from '../markdown/frontmatter.ts'
import { GLOB_KEYS, type RuleKeys } from './rule-header.ts'

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
  /** The keys that hold its globs. */
  globKeys: ReadonlyArray<(typeof GLOB_KEYS)[number]>
  kindOf: (keys: RuleKeys) => RuleKind
}

const ALWAYS: RuleKind = { kind: 'always' }
const MANUAL: RuleKind = { kind: 'manual' }

/** Anchors Claude's `paths`, which count from the root also where they have no slash. */
const fromRoot = (paths: Array<string> | undefined): Array<string> | undefined =>
  paths?.map((glob) => /\/|^\*\*$/.test(glob) ? glob : glob.replace(/^(?:!(?!\())?/, '$&./'))

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
  globKeys: GLOB_KEYS,
  kindOf: (keys) => byAlwaysApply(keys, byApplyTo(keys) ?? byGlobs(keys.globs, keys.paths, keys.applyTo)),
}

/** The dialects of other tools, whose folders `rules.directories` may name. */
export const OTHER_TOOLS: Array<RuleDialect & { folder: string }> = [
  {
    folder: '.cursor/rules',
    ending: /\.mdc?$/i,
    globKeys: ['globs'],
    kindOf: (keys) => byAlwaysApply(keys, byGlobs(keys.globs)),
  },
  {
    folder: '.claude/rules',
    ending: /\.md$/,
    globKeys: ['paths'],
    kindOf: ({ paths }) => byGlobs(fromRoot(paths)) ?? ALWAYS,
  },
  {
    folder: '.github/instructions',
    ending: /\.instructions\.md$/,
    globKeys: ['applyTo'],
    kindOf: (keys) => byApplyTo(keys) ?? byGlobs(keys.applyTo) ?? byDescription(keys),
  },
  {
    folder: '.clinerules',
    ending: /(?<!^(?:workflows|hooks|skills)\/.*)\.(?:md|txt)$/,
    globKeys: ['paths'],
    // An empty list is "never".
    kindOf: ({ paths }) => paths?.length === 0 ? MANUAL : byGlobs(fromRoot(paths)) ?? ALWAYS,
  },
]

/** Gives the dialect of the rule files in a folder. */
export const dialectOf = (path: string): RuleDialect => {
  const folders = `${path.split(sep).join('/')}/`
  return OTHER_TOOLS.find(({ folder }) => folders.includes(`/${folder}/`)) ?? OWN
}

/** Notes what the dialect of a rule file leaves unread in it: a key of another tool, a second header. */
export const unreadIn = (
  { folder, globKeys }: RuleDialect,
  keys: RuleKeys,
  body: string,
): string | undefined => {
  if (frontmatterOf(body)) return 'a second header stands below the first; it is not read'
  const other = globKeys.some((key) => keys[key]) ? undefined : GLOB_KEYS.find((key) => keys[key])
  return other && `${other} is not read in ${folder}; write ${globKeys[0]}`
}
