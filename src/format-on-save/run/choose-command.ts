/** Chooses the command of the option `format_on_save` for a file. */
import { Minimatch } from 'minimatch'
import { relative } from 'node:path'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { contains, isInProject, withSlashes, type Workspace } from '../../paths/boundary.ts'
import { type FormatCommand, readCommand } from './format-command.ts'

export const entriesOf = ({ when: _, ...commands }: FormatOnSaveOption) =>
  Object.entries(commands).flatMap(([glob, command]) => (
    command === undefined ? [] : [{ glob: withSlashes(glob), command }]
  ))

/** Lets brackets also match literally, as part of a folder's name: `app/[id]/*` → `app/{[id],\[id\]}/*`. */
const withBracketNames = (glob: string): string =>
  glob.replace(/(?<!\\)\[+[^[\]{},/]+\]+/g, (set) => `{${set},${set.replace(/[[\]]/g, '\\$&')}}`)

export const patternOf = (glob: string): Minimatch =>
  new Minimatch(withBracketNames(glob.normalize().replace(/^\.?\//, '')), {
    dot: true,
    matchBase: !glob.includes('/'),
    nocomment: true,
    braceExpandMax: 1_000,
  })

/**
 * Returns a function that finds the command of the first glob that matches a path, or null. Globs match the path from
 * the session's folder or, for a file outside that folder, from the worktree.
 */
export const readCommands = (
  option: FormatOnSaveOption,
  workspace: Workspace,
): (path: string) => FormatCommand | null => {
  const { directory, worktree } = workspace
  const entries = entriesOf(option).map(({ glob, command }) => ({
    pattern: patternOf(glob),
    command: readCommand(command, option.when ?? 'save', directory),
  }))
  return (path) => {
    if (!isInProject(workspace, path)) return null
    const relativePath = withSlashes(relative(contains(directory, path) ? directory : worktree, path))
    return entries.find(({ pattern }) => pattern.match(relativePath.normalize()))?.command ?? null
  }
}
