/** Reads the commands of the option `format_on_save`, and chooses the command for a file. */
import { Minimatch } from 'minimatch'
import { relative } from 'node:path'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import { contains, isInProject, withSlashes, type Workspace } from '../../paths/boundary.ts'
import { toScript } from './command-script.ts'
import { runsUnchanged } from './runs-unchanged.ts'

export type FormatCommand = {
  text: string
  /** A shell script that refers to the file as `$FILE`, or the list of words of a command in the host's config. */
  script: string | Array<string>
  wholeProject: boolean
  environment?: Record<string, string>
  /** Exit codes that mean success. */
  ok: Array<number>
  isGuess: boolean
  when: When
}

/**
 * Reads a command of the option `format_on_save`:
 *
 * | command | script | whole project |
 * | --- | --- | --- |
 * | placeholder: `fmt {path} -w` | `fmt "$FILE" -w` | no |
 * | no placeholder, runs unchanged: `cargo fmt` | `cargo fmt` | yes |
 * | no placeholder, path appended: `prettier -w` | `prettier -w "$FILE"` | no |
 */
const readCommand = (entry: FormatOnSaveOption[string], defaultWhen: When, directory: string) => {
  const { command, ok = [0], when = defaultWhen } = typeof entry === 'string' ? { command: entry } : entry
  const { script, hasPlaceholder } = toScript(command)
  const wholeProject = !hasPlaceholder && runsUnchanged(command, directory)
  const isComplete = hasPlaceholder || wholeProject
  const isGuess = !hasPlaceholder
  return { text: command, script: isComplete ? script : `${script} "$FILE"`, wholeProject, ok, isGuess, when }
}

/** Lets brackets also match literally, as part of a folder's name: `app/[id]/*` → `app/{[id],\[id\]}/*`. */
const withBracketNames = (glob: string): string =>
  glob.replace(/(?<!\\)\[+[^[\]{},/]+\]+/g, (set) => `{${set},${set.replace(/[[\]]/g, '\\$&')}}`)

const patternOf = (glob: string): Minimatch =>
  new Minimatch(withBracketNames(glob.normalize().replace(/^\.?\//, '')), {
    dot: true,
    matchBase: !glob.includes('/'),
    nocomment: true,
    braceExpandMax: 1_000,
  })

export const entriesOf = ({ when: _, ...commands }: FormatOnSaveOption) =>
  Object.entries(commands).map(([glob, command]) => ({ pattern: patternOf(withSlashes(glob)), command }))

/**
 * Returns a function that maps a path to the command of the first glob that matches, or to null. Globs match the path
 * relative to the session's folder or, for a file outside that folder, relative to the worktree.
 */
export const readCommands = (option: FormatOnSaveOption, workspace: Workspace) => {
  const { directory, worktree } = workspace
  const commands = entriesOf(option).map(({ pattern, command }) => ({
    pattern,
    command: readCommand(command, option.when ?? 'save', directory),
  }))
  return (path: string): FormatCommand | null => {
    if (!isInProject(workspace, path)) return null
    const relativePath = withSlashes(relative(contains(directory, path) ? directory : worktree, path))
    return commands.find(({ pattern }) => pattern.match(relativePath.normalize()))?.command ?? null
  }
}
