/** What a rule file means in the folder of the tool that it was written for; `docs/rule-files.md` has the table. */
import { withSlashes } from '../paths/boundary.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { CONDITION_KEYS } from './conditions.ts'
import { GLOB_KEYS } from './header-values.ts'
import type { RuleKeys, RuleText } from './rule-frontmatter.ts'

/**
 * When a rule is sent to a session: always; when a matching file or keyword is in it; offered in one line, for the model to read;
 * or not at all.
 */
export type RuleKind = {
  kind: 'always' | 'file' | 'offered' | 'manual'
  globs?: Array<string>
  keywords?: Array<string>
}

/** How the rule files of a folder are found, named and read. */
export type RuleDialect = {
  /** The tool's folder, as a path's last segments; `null` for every other folder. */
  folder: string | null
  /** How its rule files end. A rule's name is its path in the rule folder without that. */
  ending: RegExp
  /** The keys that hold its globs. */
  globKeys: ReadonlyArray<(typeof GLOB_KEYS)[number]>
  /** What a rule without globs is: always sent, or as its description or first its `alwaysApply` says. */
  unbound: 'always' | 'description' | 'alwaysApply'
}

const OWN: RuleDialect = { folder: null, ending: /\.mdc?$/i, globKeys: GLOB_KEYS, unbound: 'alwaysApply' }

const CLINE = /(?<!^(?:workflows|hooks|skills)\/.*)\.(?:md|txt)$/

/** The dialects of other tools, whose folders `rules.directories` may name. */
export const OTHER_TOOLS: Array<RuleDialect & { folder: string }> = [
  { folder: '.cursor/rules', ending: /\.mdc?$/i, globKeys: ['globs'], unbound: 'alwaysApply' },
  { folder: '.claude/rules', ending: /\.md$/, globKeys: ['paths'], unbound: 'always' },
  {
    folder: '.github/instructions',
    ending: /\.instructions\.md$/,
    globKeys: ['applyTo'],
    unbound: 'description',
  },
  { folder: '.clinerules', ending: CLINE, globKeys: ['paths'], unbound: 'always' },
]

/** Files in which other tools have all rules; Cline's is named as its folder. OpenCode reads those in its `instructions`. */
export const OTHER_FILES = [
  '.cursorrules',
  '.windsurfrules',
  '.github/copilot-instructions.md',
]

/** Gives the dialect of the rule files in a folder. */
export const dialectOf = (path: string): RuleDialect => {
  const folders = `${withSlashes(path)}/`
  return OTHER_TOOLS.find(({ folder }) => folders.includes(`/${folder}/`)) ?? OWN
}

/** Anchors `paths`, which in Claude and Cline count from the root also where they have no slash. */
const fromRoot = (glob: string): string =>
  /\/|^\*\*$/.test(glob) ? glob : glob.replace(/^(?:!(?!\())?/, '$&./')

/** Says when a rule is sent, by the keys of its header. */
export const kindOf = ({ folder, globKeys, unbound }: RuleDialect, keys: RuleKeys): RuleKind => {
  const { alwaysApply, description, applyTo } = keys
  const keywords = folder === null ? keys.keywords ?? [] : []
  const hasFlag = unbound === 'alwaysApply'
  const globs = globKeys.flatMap((key) => keys[key] ?? [])
  // In Copilot's key a pattern for every file means "always".
  const isAll = globKeys.includes('applyTo') && applyTo?.some((glob) => ['**', '**/*', '*'].includes(glob))
  const rooted = globKeys[0] === 'paths' ? globs.map(fromRoot) : globs
  const joins = { ...(globs.length > 0 && { globs: rooted }), ...(keywords.length > 0 && { keywords }) }
  if (isAll || (hasFlag && alwaysApply)) return { kind: 'always', ...joins }
  if (Object.keys(joins).length > 0) return { kind: 'file', ...joins }
  // An empty list is "never" in Cline.
  if (folder === '.clinerules' && keys.paths) return { kind: 'manual' }
  if (unbound === 'always' || (hasFlag && !description && alwaysApply !== false)) return { kind: 'always' }
  return { kind: description ? 'offered' : 'manual' }
}

const OWN_KEYS = [...CONDITION_KEYS, 'keywords', 'alwaysApply'] as const

/** Notes what is not read of a rule file in its dialect: a key of another tool, one that nothing reads, a header further down. */
export const unreadIn = (
  { folder, globKeys, unbound }: RuleDialect,
  { keys, unread, lateHeader }: RuleText,
): Array<string> => {
  const glob = globKeys.some((key) => keys[key]) ? undefined : GLOB_KEYS.find((key) => keys[key])
  const other = OWN_KEYS.find((key) => folder !== null && key !== unbound && keys[key] !== undefined)
  const names = firstLines(unread.map(({ key, line }) => `${excerpt(key)} (line ${line})`)).join(', ')
  return [
    ...(lateHeader === undefined
      ? []
      : [`a header must begin with --- on line 1; the one on line ${lateHeader} is not read`]),
    ...(glob ? [`${glob} is not read in ${folder}; write ${globKeys[0]}`] : []),
    ...(other ? [`${other} is not read in ${folder}`] : []),
    ...(unread.length > 0 ? [`not read: ${names}`] : []),
  ]
}

/** Finds the key that limits a rule in another tool, where nothing that is read here limits it or says that it always applies. */
export const limitOf = (
  { folder }: RuleDialect,
  { keys, unread }: RuleText,
): RuleText['unread'][number] | undefined => {
  const isSaid = GLOB_KEYS.some((key) => keys[key]) || keys.alwaysApply === true
    || folder === null && CONDITION_KEYS.some((key) => keys[key])
  return isSaid ? undefined : unread.find(({ isLimiting }) => isLimiting)
}
