import { dirname, join, resolve } from 'node:path'
import { contains, expandHome, type Place } from '../boundary.ts'
import { upwards } from '../instruction-globs.ts'

/** A folder with rule files, and whose it is: the person's, for all projects, or the project's. */
export type RuleFolder = { scope: 'global' | 'project'; path: string }

/** What a plugin instance looks for rules by; `directories` are those of the option `rules`. */
export type RuleSources = {
  place: Place
  directories: Array<string>
  env: Record<string, string | undefined>
  home: string
}

const globalFolder = ({ env, home }: RuleSources): string => {
  const { OPENCODE_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg } = env
  return own ? join(own, 'rules') : join(xdg || join(home, '.config'), 'opencode', 'rules')
}

// As the host collects its own `.opencode` folders: each one from the worktree's root down to the session's
// directory, and the directory alone where there is no worktree.
const levels = ({ directory, worktree }: Place): Array<string> => {
  const bounded = worktree !== '' && dirname(worktree) !== worktree && contains(worktree, directory)
  return bounded ? upwards(directory, worktree).reverse() : [directory]
}

/** The folders that rules come from, in the order in which their rules are sent. */
export const ruleFolders = (sources: RuleSources): Array<RuleFolder> => {
  const { place, directories, home } = sources
  const project = [
    ...levels(place).map((level) => join(level, '.opencode', 'rules')),
    ...directories.map((path) => resolve(place.directory, expandHome(path, home))),
  ]
  return [
    { scope: 'global', path: globalFolder(sources) },
    ...[...new Set(project)].map((path): RuleFolder => ({ scope: 'project', path })),
  ]
}
