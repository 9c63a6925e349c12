import { Minimatch } from 'minimatch'
import { relative, sep } from 'node:path'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { contains, isInside, withSlashes, type Workspace } from '../../paths/boundary.ts'
import { type FormatCommand, readCommand } from './format-command.ts'

/** Finds the command for a file, by its absolute path; null where no pattern matches. */
type CommandOf = (path: string) => FormatCommand | null

/** Lists the patterns of the option with their commands. */
export const entriesOf = ({ when: _, ...commands }: FormatOnSaveOption) =>
  Object.entries(commands).flatMap(([glob, given]) => (given === undefined ? [] : [{ glob, given }]))

/** Compiles a pattern of the option; one without a slash matches a file's name in any folder. */
export const patternOf = (glob: string): Minimatch =>
  new Minimatch(glob.normalize().replace(/^\.?\//, ''), {
    dot: true,
    matchBase: !glob.includes('/'),
    nocomment: true,
    braceExpandMax: 1_000,
  })

/**
 * Reads the option `format_on_save`. The first pattern that matches wins. A pattern without a slash matches a file's
 * name in any folder of the worktree, one with a slash the path from the project's folder, or for a file outside that
 * folder the path from the worktree. Files outside the worktree match none: the formatter is the project's own.
 */
export const readCommands = (option: FormatOnSaveOption, place: Workspace): CommandOf => {
  const { directory, worktree } = place
  const all = entriesOf(option).map(({ glob, given }) => ({
    pattern: patternOf(withSlashes(glob)),
    command: readCommand(given, option.when ?? 'save', directory),
  }))
  return (path) => {
    if (!isInside(place, path)) return null
    const inProject = relative(contains(directory, path) ? directory : worktree, path).split(sep).join('/')
    return all.find(({ pattern }) => pattern.match(inProject.normalize()))?.command ?? null
  }
}
