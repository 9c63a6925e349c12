/** Decides when a rule is sent, by its header and by the tool (such as Cursor) whose folder contains the rule. */
import { withSlashes } from '../paths/boundary.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { CONDITION_KEYS } from './conditions.ts'
import { GLOB_KEYS } from './header-values.ts'
import type { RuleKeys, RuleText } from './rule-frontmatter.ts'

/**
 * When a rule is sent. `always`: in each request. `file`: after a file matches a glob or the person writes a keyword.
 * `offered`: only as a description, with the path of the rule's file. `manual`: never.
 */
export type RuleKind = {
  kind: 'always' | 'file' | 'offered' | 'manual'
  globs?: Array<string>
  keywords?: Array<string>
}

/** How a tool reads the rule files in its folder. */
export type RuleDialect = {
  /** A folder anywhere in a path (`.cursor/rules`), or null for SAT's own dialect. */
  folder: string | null
  /** Matches the end of a rule file's path, which is no part of the rule's name. */
  ending: RegExp
  /** Notes to the person recommend the first key. */
  globKeys: ReadonlyArray<(typeof GLOB_KEYS)[number]>
  /** For a rule without globs and keywords: the key that decides when it is sent, or `always` if no key does. */
  withoutGlobs: 'always' | 'description' | 'alwaysApply'
}

const SAT_DIALECT: RuleDialect = {
  folder: null,
  ending: /\.mdc?$/i,
  globKeys: GLOB_KEYS,
  withoutGlobs: 'alwaysApply',
}

// In Cline, the folders `workflows`, `hooks` and `skills` contain no rules.
const CLINE_ENDING = /(?<!^(?:workflows|hooks|skills)\/.*)\.(?:md|txt)$/

/** The dialects of other tools, whose folders `rules.directories` may name. */
export const OTHER_TOOLS: Array<RuleDialect & { folder: string }> = [
  { folder: '.cursor/rules', ending: /\.mdc?$/i, globKeys: ['globs'], withoutGlobs: 'alwaysApply' },
  { folder: '.claude/rules', ending: /\.md$/, globKeys: ['paths'], withoutGlobs: 'always' },
  {
    folder: '.github/instructions',
    ending: /\.instructions\.md$/,
    globKeys: ['applyTo'],
    withoutGlobs: 'description',
  },
  { folder: '.clinerules', ending: CLINE_ENDING, globKeys: ['paths'], withoutGlobs: 'always' },
]

export const dialectOf = (path: string): RuleDialect => {
  const folders = `${withSlashes(path)}/`
  return OTHER_TOOLS.find(({ folder }) => folders.includes(`/${folder}/`)) ?? SAT_DIALECT
}

// In Claude Code and Cline, a pattern without a slash matches only in the root: `*.md` becomes `./*.md`.
const anchored = (glob: string): string => {
  if (glob.includes('/') || glob === '**') return glob
  // `!*.md` becomes `!./*.md`, but in `!(a|b).md`, the `!(` opens a group.
  return glob.replace(/^(?:!(?!\())?/, '$&./')
}

export const kindOf = ({ folder, globKeys, withoutGlobs }: RuleDialect, keys: RuleKeys): RuleKind => {
  const globs = globKeys.flatMap((key) => keys[key] ?? [])
  const keywords = folder === null ? keys.keywords ?? [] : []
  const triggers = {
    ...(globs.length > 0 && { globs: globKeys[0] === 'paths' ? globs.map(anchored) : globs }),
    ...(keywords.length > 0 && { keywords }),
  }
  const readsAlwaysApply = withoutGlobs === 'alwaysApply'
  const isForEveryFile = globKeys.includes('applyTo')
    && keys.applyTo?.some((glob) => ['**', '**/*', '*'].includes(glob))
  // A rule that is always sent keeps its globs, because they limit which files its patterns check.
  if (isForEveryFile || readsAlwaysApply && keys.alwaysApply) return { kind: 'always', ...triggers }
  if (Object.keys(triggers).length > 0) return { kind: 'file', ...triggers }
  // In Cline, a rule with `paths: []` is never sent.
  if (folder === '.clinerules' && keys.paths) return { kind: 'manual' }
  if (withoutGlobs === 'always') return { kind: 'always' }
  if (keys.description) return { kind: 'offered' }
  return { kind: readsAlwaysApply && keys.alwaysApply === undefined ? 'always' : 'manual' }
}

// SAT's keys, besides globs, that decide when a rule is sent.
const OWN_KEYS = [...CONDITION_KEYS, 'keywords', 'alwaysApply'] as const

export const unreadNotes = (dialect: RuleDialect, { keys, unread }: RuleText): Array<string> => {
  const { folder, globKeys, withoutGlobs } = dialect
  const hasGlobs = globKeys.some((key) => keys[key])
  const unreadGlobKey = hasGlobs ? undefined : GLOB_KEYS.find((key) => keys[key])
  // Of other tools, only Cursor reads one of SAT's own keys: `alwaysApply`.
  const isRead = (key: string): boolean => folder === null || key === 'alwaysApply' && withoutGlobs === key
  const unreadOwnKey = OWN_KEYS.find((key) => keys[key] !== undefined && !isRead(key))
  const unknownKeys = unread.map(({ key, line }) => `${excerpt(key)} (line ${line})`)
  return [
    ...(unreadGlobKey ? [`${unreadGlobKey} is not read in ${folder}; write ${globKeys[0]}`] : []),
    ...(unreadOwnKey ? [`${unreadOwnKey} is not read in ${folder}`] : []),
    ...(unread.length > 0 ? [`not read: ${firstLines(unknownKeys).join(', ')}`] : []),
  ]
}

/** Returns a key by which another tool limits the rule, unless a key that SAT reads decides when to send the rule. */
export const limitingKeyOf = ({ folder }: RuleDialect, { keys, unread }: RuleText) => {
  const isDecided = GLOB_KEYS.some((key) => keys[key]) || keys.alwaysApply === true
    || folder === null && CONDITION_KEYS.some((key) => keys[key])
  return isDecided ? undefined : unread.find(({ isLimiting }) => isLimiting)
}
