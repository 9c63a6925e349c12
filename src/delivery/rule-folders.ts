/** Lists SAT's rule folders, and the folders and files in which other tools keep rules. */
import { join, resolve } from 'node:path'
import { RULES_IN_ONE_FILE } from '../instructions/unloaded-files.ts'
import { contains, expandHome, foldersUpTo, projectRoot, type Workspace } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import { OTHER_TOOLS } from './rule-dialects.ts'

export type RuleFolder = {
  scope: 'global' | 'outside' | 'project'
  path: string
  /** The entries of `rules.directories` that name this folder. */
  entries?: Array<string>
}

/** Whether the rules in a folder are the person's own. The rules in a project may come from a stranger. */
export const isOwn = ({ scope }: RuleFolder): boolean => scope !== 'project'

/** Lists the folders in the order in which their rules are sent. Some of the folders may be missing. */
export const ruleFolders = (
  workspace: Workspace,
  directories: Array<string>,
  env: Environment = process.env,
): { folders: Array<RuleFolder>; pathsOfOtherTools: Array<string> } => {
  const { directory } = workspace
  const ignoresProject = ignoresProjectConfig(env)
  const worktree = projectRoot(workspace)
  const root = contains(worktree, directory) ? worktree : directory
  // OpenCode also collects its `.opencode` folders from the root down.
  const levels = foldersUpTo(directory, root).reverse()
  const opencodeFolders = levels.map((level) => join(level, '.opencode', 'rules'))
  // A relative entry may come from the config of the root or of the session's directory.
  const pathsOf = (entry: string): Array<string> =>
    [root, directory].map((base) => resolve(base, expandHome(entry, homeFolder(env))))
  const entriesFor = (path: string) => directories.filter((entry) => pathsOf(entry).includes(path))
  const scopeOf = (path: string) => contains(root, path) ? 'project' : 'outside'
  const folders = [...new Set([...opencodeFolders, ...directories.flatMap(pathsOf)])]
    .map((path): RuleFolder => ({ scope: scopeOf(path), path, entries: entriesFor(path) }))
    .filter((folder) => !ignoresProject || isOwn(folder))
    // The person's own rules come first, because SAT leaves out the last rules if there are too many.
    .toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
  const names = [...OTHER_TOOLS.map(({ folder }) => folder), ...RULES_IN_ONE_FILE]
  const otherPaths = levels.flatMap((level) => names.map((name) => join(level, name)))
  const containsRuleFolder = (path: string) => folders.some((folder) => contains(path, folder.path))
  return {
    folders: [{ scope: 'global', path: join(configFolder(env), 'rules') }, ...folders],
    pathsOfOtherTools: ignoresProject ? [] : otherPaths.filter((path) => !containsRuleFolder(path)),
  }
}
