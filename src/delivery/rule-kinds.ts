/**
 * What a rule file means in the folder of the tool that it was written for:
 *
 * | folder                 | files                 | frontmatter                                                     |
 * | ---------------------- | --------------------- | --------------------------------------------------------------- |
 * | `.cursor/rules`        | `.mdc`, `.md`         | `alwaysApply`, `globs`, `description`; none: always              |
 * | `.claude/rules`        | `.md`                 | `paths`; without: always                                         |
 * | `.github/instructions` | `.instructions.md`    | `applyTo` (`**`, `*` are always); without: offered by its        |
 * |                        |                       | `description`                                                    |
 * | `.clinerules`          | `.md`, `.txt`         | `paths` (`[]` is never); without: always; no workflows, hooks,   |
 * |                        |                       | skills                                                           |
 * | any other              | `.md`, `.mdc`         | each of these keys                                               |
 */
import type { GlobKey, RuleKeys } from './rule-header.ts'

/**
 * When a rule is sent to a session: always; when a matching file is in it; offered in one line, for the model to read;
 * or not at all.
 */
export type RuleKind = { kind: 'always' | 'file' | 'offered' | 'manual'; globs?: Array<string> }

/** How the rule files of a folder are found, named and read. */
export type RuleDialect = {
  /** The tool's folder, as a path's last segments; `null` for every other folder. */
  folder: string | null
  isRuleFile: (path: string) => boolean
  /** Gives the name of a file's rule: its path in the rule folder without the ending. */
  nameOf: (path: string) => string
  kindOf: (keys: RuleKeys) => RuleKind
}

const isEverything = (glob: string): boolean => ['**', '**/*', '*'].includes(glob)

const byFile = (keys: RuleKeys, names: Array<GlobKey>): RuleKind | null => {
  const globs = names.flatMap((name) => keys[name] ?? [])
  return globs.length > 0 ? { kind: 'file', globs } : null
}

const byDescription = ({ description }: RuleKeys): RuleKind => ({ kind: description ? 'offered' : 'manual' })

/** Reads Copilot's key, in which a pattern for every file means "always". */
const byApplyTo = (keys: RuleKeys): RuleKind | null =>
  keys.applyTo?.some(isEverything) ? { kind: 'always' } : null

/** Reads `alwaysApply` first, then these globs, then the description; without any of them the kind is `always`. */
const byAnyKey = (names: Array<GlobKey>) => (keys: RuleKeys): RuleKind => {
  if (keys.alwaysApply === true) return { kind: 'always' }
  const bound = (names.includes('applyTo') ? byApplyTo(keys) : null) ?? byFile(keys, names)
  if (bound) return bound
  return keys.description || keys.alwaysApply === false ? byDescription(keys) : { kind: 'always' }
}

const byPaths = (keys: RuleKeys): RuleKind => byFile(keys, ['paths']) ?? { kind: 'always' }

/** Reads Cline's key, for which an empty list is "never". */
const byPathsOrNever = (keys: RuleKeys): RuleKind =>
  keys.paths?.length === 0 ? { kind: 'manual' } : byPaths(keys)

const dialect = (
  folder: string | null,
  ending: RegExp,
  kindOf: RuleDialect['kindOf'],
  notIn = /^$/,
): RuleDialect => ({
  folder,
  isRuleFile: (path) => ending.test(path) && !notIn.test(path),
  nameOf: (path) => path.replace(ending, ''),
  kindOf,
})

const OWN = dialect(null, /\.mdc?$/i, byAnyKey(['globs', 'paths', 'applyTo']))

/** The dialects of other tools, whose folders `rules.directories` may name. */
export const OTHER_TOOLS: Array<RuleDialect> = [
  dialect('.cursor/rules', /\.mdc?$/i, byAnyKey(['globs'])),
  dialect('.claude/rules', /\.md$/, byPaths),
  dialect(
    '.github/instructions',
    /\.instructions\.md$/,
    (keys) => byApplyTo(keys) ?? byFile(keys, ['applyTo']) ?? byDescription(keys),
  ),
  dialect('.clinerules', /\.(?:md|txt)$/, byPathsOrNever, /^(?:workflows|hooks|skills)\//),
]

/** Gives the dialect of the rule files in a folder, by its path with `/`. */
export const dialectOf = (path: string): RuleDialect =>
  OTHER_TOOLS.find(({ folder }) => `${path}/`.includes(`/${folder}/`)) ?? OWN
