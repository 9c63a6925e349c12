/** Lists SAT's rule folders, and the folders and files in which other tools keep rules. */
import { join, resolve } from 'node:path'
import { RULES_IN_ONE_FILE } from '../instructions/unloaded-files.ts'
import { contains, expandHome, foldersUpTo, projectRoot, type Workspace } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import { OTHER_TOOLS } from './rule-dialects.ts'

export type RuleFolder = {
  /** `global`: the person's own folder for all projects. `project`: every other, even one outside of the project. */
  scope: 'global' | 'project'
  path: string
  /** The entries of the option `rules.directories` that name this folder. */
  entries?: Array<string>
}

/**
 * Lists the rule folders in the order in which their rules are sent. `pathsOfOtherTools`: where other tools keep rules;
 * a path that is, or contains, a rule folder is left out. No path is looked up on the disk.
 */
export const ruleFolders = (
  workspace: Workspace,
  directories: Array<string>,
  env: Environment = process.env,
): { folders: Array<RuleFolder>; pathsOfOtherTools: Array<string> } => {
  const { directory } = workspace
  const ignoresProject = ignoresProjectConfig(env)
  const worktree = projectRoot(workspace)
  const root = contains(worktree, directory) ? worktree : directory
  // From the root down to the directory, as the host collects its `.opencode` folders.
  const levels = foldersUpTo(directory, root).reverse()
  const opencodeFolders = levels.map((level) => join(level, '.opencode', 'rules'))
  // A relative entry may be in the root's config or in that of the directory, so it is resolved from both.
  const pathsOf = (entry: string): Array<string> =>
    [root, directory].map((base) => resolve(base, expandHome(entry, homeFolder(env))))
  const entriesFor = (path: string) => directories.filter((entry) => pathsOf(entry).includes(path))
  const projectFolders = [...new Set([...opencodeFolders, ...directories.flatMap(pathsOf)])]
    .filter((path) => !(ignoresProject && contains(root, path)))
    .map((path): RuleFolder => ({ scope: 'project', path, entries: entriesFor(path) }))
  const names = [...OTHER_TOOLS.map(({ folder }) => folder), ...RULES_IN_ONE_FILE]
  const otherPaths = levels.flatMap((level) => names.map((name) => join(level, name)))
  const containsRuleFolder = (path: string) => projectFolders.some((folder) => contains(path, folder.path))
  return {
    folders: [{ scope: 'global', path: join(configFolder(env), 'rules') }, ...projectFolders],
    pathsOfOtherTools: ignoresProject ? [] : otherPaths.filter((path) => !containsRuleFolder(path)),
  }
}
