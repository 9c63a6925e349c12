/** Lists SAT's rule folders, and the folders and files in which other tools keep rules. */
import { join, resolve } from 'node:path'
import { RULES_IN_ONE_FILE } from '../instructions/unloaded-files.ts'
import { contains, expandHome, foldersUpTo, projectRoot, type Workspace } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import { OTHER_TOOLS } from './rule-dialects.ts'

/** A folder with rule files: the person's own for all projects (`global`), or any other (`project`). */
export type RuleFolder = {
  scope: 'global' | 'project'
  path: string
  /** The entries of the option `rules.directories` that name this folder. */
  entries?: Array<string>
}

/**
 * Lists the folders of rules in the order in which the rules are sent; and, as `pathsOfOtherTools`, where other tools
 * keep rules that are not read. Any path may be missing on the disk.
 */
export const ruleFolders = (
  workspace: Workspace,
  directories: Array<string>,
  env: Environment = process.env,
): { folders: Array<RuleFolder>; pathsOfOtherTools: Array<string> } => {
  const { directory } = workspace
  const ignoresProject = ignoresProjectConfig(env)
  const root = contains(projectRoot(workspace), directory) ? projectRoot(workspace) : directory
  // From the root down to the directory, as the host collects its `.opencode` folders.
  const levels = foldersUpTo(directory, root).reverse()
  const opencodeFolders = levels.map((level) => join(level, '.opencode', 'rules'))
  // A session in `packages/a` also has the folders that a relative entry in the root's config names.
  const pathsOf = (entry: string): Array<string> =>
    [root, directory].map((base) => resolve(base, expandHome(entry, homeFolder(env))))
  const entriesFor = (path: string) => directories.filter((entry) => pathsOf(entry).includes(path))
  const project = [...new Set([...opencodeFolders, ...directories.flatMap(pathsOf)])]
    .filter((path) => !(ignoresProject && contains(root, path)))
    .map((path): RuleFolder => ({ scope: 'project', path, entries: entriesFor(path) }))
  const names = [...OTHER_TOOLS.map(({ folder }) => folder), ...RULES_IN_ONE_FILE]
  const ofOtherTools = ignoresProject ? [] : levels.flatMap((level) => names.map((name) => join(level, name)))
  return {
    folders: [{ scope: 'global', path: join(configFolder(env), 'rules') }, ...project],
    pathsOfOtherTools: ofOtherTools.filter((path) => !project.some((folder) => contains(path, folder.path))),
  }
}
