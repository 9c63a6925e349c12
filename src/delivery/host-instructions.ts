import { basename, dirname, isAbsolute, join } from 'node:path'
import picomatch from 'picomatch'
import { contains, expandHome, type Place } from '../boundary.ts'

// The session's directory and each parent up to the worktree's root.
const upwards = ({ directory, worktree }: Place): Array<string> => {
  const found = [directory]
  for (let at = directory; at !== worktree && dirname(at) !== at;) found.push(at = dirname(at))
  return found
}

/**
 * Tells of a path whether the host itself sends the file as an instruction file, by the `instructions` of its merged
 * config. `places` are the ways by which the session's directory can be reached. As the host expands them: a relative
 * entry in the session's directory and each parent up to the worktree's root, dotfiles included; in an absolute one
 * wildcards stand in the last segment only.
 */
export const hostSends = (
  places: Array<Place>,
  instructions: Array<string>,
  home: string,
): (path: string) => boolean => {
  const folders = places.flatMap(upwards)
  const entries = instructions.map((entry) => expandHome(entry, home)).filter((entry) => entry !== '')
  const relative = picomatch(entries.filter((entry) => !isAbsolute(entry)), { dot: true, nonegate: true })
  const absolute = entries.filter((entry) => isAbsolute(entry) && basename(entry) !== '')
    .map((entry) => ({ folder: dirname(entry), isNamed: picomatch(basename(entry)) }))
  return (path) =>
    folders.some((folder) =>
      path === join(folder, 'AGENTS.md')
      || (contains(folder, path) && relative(path.slice(join(folder, '/').length).replaceAll('\\', '/')))
    ) || absolute.some(({ folder, isNamed }) => dirname(path) === folder && isNamed(basename(path)))
}
