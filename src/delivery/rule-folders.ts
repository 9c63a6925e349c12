import { join, resolve } from 'node:path'
import { contains, expandHome, type Place, projectRoot, upwards } from '../paths/boundary.ts'
import { OTHER_TOOLS } from './rule-kinds.ts'

/**
 * A folder with rule files: the person's own, for all projects, or one of the project; `named` is the entry of the
 * option `rules.directories` that names it.
 */
export type RuleFolder = { scope: 'global' | 'project'; path: string; named?: string }

/** All that decides where rules are looked for; `directories` are those of the option `rules`. */
export type RuleSources = {
  place: Place
  directories: Array<string>
  /** The host's global folder. */
  config: string
  home: string
  /** Whether the host reads nothing of the project. */
  isProjectOff?: boolean
}

// The host collects its `.opencode` folders in the same way: in each folder from the worktree's root down to the
// session's directory, or in the directory alone where there is no worktree.
const levels = (place: Place): Array<string> => {
  const { directory } = place
  const root = projectRoot(place)
  return contains(root, directory) ? upwards(directory, root).reverse() : [directory]
}

/**
 * Lists the folders that rules come from, in the order in which their rules are sent. A relative entry of the option is
 * looked for at the worktree's root and in the session's directory, so that a session in `packages/a` has the folders
 * that the project's config names.
 */
export const ruleFolders = (sources: RuleSources): Array<RuleFolder> => {
  const { place, directories, config, home, isProjectOff = false } = sources
  const [root = place.directory] = levels(place)
  const own = levels(place).map((level) => ({ path: join(level, '.opencode', 'rules') }))
  const named = directories.flatMap((entry) =>
    [root, place.directory].map((base) => ({ path: resolve(base, expandHome(entry, home)), named: entry }))
  )
  const project = [...own, ...named]
    .filter(({ path }, index, all) => all.findIndex((one) => one.path === path) === index)
    .filter(({ path }) => !(isProjectOff && contains(root, path)))
    .map((folder): RuleFolder => ({ scope: 'project', ...folder }))
  return [{ scope: 'global', path: join(config, 'rules') }, ...project]
}

/** Lists where other tools keep rules in this project. A folder may be missing, and is read only where it is named. */
export const otherToolsFolders = (place: Place): Array<string> =>
  levels(place).flatMap((level) => OTHER_TOOLS.map(({ folder }) => join(level, folder)))
