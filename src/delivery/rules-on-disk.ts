/** Reads the rules of all folders, and combines them into the rules of a session. */
import { basename } from 'node:path'
import { sessionBudget } from '../checks/budget.ts'
import { findInstructions } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/host-view.ts'
import { existingPaths } from '../instructions/loaded-files.ts'
import { contains, pathPattern, type Workspace } from '../paths/boundary.ts'
import { realPathOrSelf } from '../paths/real-path.ts'
import { pluralize } from '../text/pluralize.ts'
import { type CompiledRules, compileRules } from './compile-rules.ts'
import {
  type FolderRules,
  hasChecks,
  MAX_BYTES,
  MAX_RULES,
  type Rule,
  ruleFolderReader,
  type UncompiledRule,
} from './rule-files.ts'
import { isOwn, type RuleFolder, ruleFolders } from './rule-folders.ts'
import type { RuleFault } from './rule-walk.ts'

export type RulesOnDisk = CompiledRules & {
  /** Rules that the host already sends as instruction files, so that SAT uses only their checks. */
  checkOnly: Array<Rule>
  /** Entries of `rules.directories` for which no folder exists. */
  missing: Array<string>
  /** The instruction files that the host sends, or `[]` if the host was not asked. */
  instructions: Array<string>
  /** Rule folders and rule files of other tools, if SAT does not read them and the host does not send them. */
  notRead: Array<string>
}

export const allRulesOf = ({ rules, checkOnly }: RulesOnDisk): Array<Rule> => [...rules, ...checkOnly]

/** Returns the paths and real paths of all rule files, including left-out files. */
export const ruleFilesOf = (onDisk: RulesOnDisk): Set<string> =>
  new Set([...allRulesOf(onDisk), ...onDisk.leftOut].flatMap(({ path, realPath = path }) => [path, realPath]))

/** `fresh` looks up again which files the host sends. `cached` returns the last result if no folder has changed. */
export type ReadRules = (hostFiles: 'fresh' | 'cached') => Promise<RulesOnDisk>

/** Creates the function that reads a workspace's rules. Links in the paths of `workspace` must be resolved. */
export const rulesReader = (
  workspace: Workspace,
  directories: Array<string>,
  listSent: () => Promise<Array<string>>,
  { report, withPatterns = true }: { report?: (onDisk: RulesOnDisk) => void; withPatterns?: boolean } = {},
): ReadRules => {
  const { folders, pathsOfOtherTools } = ruleFolders(workspace, directories)
  const ownBudget = sessionBudget()
  // A project's slow rules must take no time from the person's own rules.
  const projectBudget = sessionBudget()
  const readers = folders.map((folder) =>
    ruleFolderReader(folder, workspace.worktree, isOwn(folder) ? ownBudget : projectBudget)
  )
  let last: { folderRules: Array<FolderRules>; compiled: CompiledRules; onDisk: RulesOnDisk } | undefined
  const compile = async (folderRules: Array<FolderRules>): Promise<CompiledRules> => {
    const { selected, leftOut } = selectRules(folderRules)
    const ownRules = selected.filter(({ folder }) => isOwn(folder))
    const otherRules = selected.filter(({ folder }) => !isOwn(folder))
    const own = await compileRules(ownRules, withPatterns, ownBudget)
    // Own rules and project rules share all limits except the time.
    Object.assign(projectBudget, { ...ownBudget, ms: projectBudget.ms })
    const others = await compileRules(otherRules, withPatterns, projectBudget)
    return {
      rules: withUniqueNames([...own.rules, ...others.rules], workspace),
      leftOut: sortedFaults([...leftOut, ...own.leftOut, ...others.leftOut]),
    }
  }
  return async (hostFiles) => {
    // The readers keep these two objects, so each read resets the values instead of creating new objects.
    for (const budget of [ownBudget, projectBudget]) Object.assign(budget, sessionBudget())
    const folderRules = await Promise.all(readers.map((readFolder) => readFolder()))
    const isSame = folderRules.every((ofFolder, index) => ofFolder === last?.folderRules[index])
    if (last && isSame && hostFiles === 'cached') return last.onDisk
    const compiled = last && isSame ? last.compiled : await compile(folderRules)
    const compared = await compareWithHost(compiled, folderRules, pathsOfOtherTools, listSent)
    const found = folderRules.flatMap(({ exists, folder }) => exists ? folder.entries : [])
    const missing = [...new Set(directories)].filter((entry) => !found.includes(entry))
    const onDisk = { ...compared, missing }
    last = { folderRules, compiled, onDisk }
    report?.(onDisk)
    return onDisk
  }
}

/** Lists the instruction files that the host sends. */
export const sentByHost = async (workspace: Workspace, config: HostConfig): Promise<Array<string>> => {
  const directory = await realPathOrSelf(workspace.directory)
  const worktree = await realPathOrSelf(workspace.worktree)
  return (await findInstructions(directory, hostViewOf({ worktree }, config))).paths
}

const selectRules = (folders: Array<FolderRules>) => {
  const rules = folders.flatMap((folder) => folder.rules)
  const leftOut = onePerFile(folders.flatMap((folder) => folder.leftOut))
  const projectNames = new Set(
    [...rules, ...leftOut].filter(({ folder }) => folder.scope === 'project').map(({ name }) => name),
  )
  const excessByFolder = new Map(folders.map(({ folder, excess }) => [folder, excess]))
  const realPaths = new Set<string>()
  const selected: Array<UncompiledRule> = []
  let bytes = 0
  for (const rule of rules) {
    const { folder, name, realPath, body } = rule
    const isReplaced = folder.scope === 'global' && projectNames.has(name)
    if (isReplaced || realPaths.has(realPath)) continue
    realPaths.add(realPath)
    const size = Buffer.byteLength(body)
    if (selected.length < MAX_RULES && bytes + size <= MAX_BYTES) {
      selected.push(rule)
      bytes += size
    } else excessByFolder.set(folder, (excessByFolder.get(folder) ?? 0) + 1)
  }
  return { selected, leftOut: [...leftOut, ...[...excessByFolder].flatMap(excessFaults)] }
}

/** Nested rule folders give the same fault twice. */
const onePerFile = (faults: Array<RuleFault>): Array<RuleFault> => {
  const paths = new Set<string>()
  return faults.filter(({ path }) => !paths.has(path) && paths.add(path))
}

const excessFaults = ([folder, count]: [RuleFolder, number]): Array<RuleFault> => {
  const files = `${pluralize(count, 'more rule file')} ${count === 1 ? 'is' : 'are'} left out`
  const reason = `${files}: a session takes at most ${MAX_RULES} rules with ${MAX_BYTES / 1024} KB in all`
  return count > 0 ? [{ folder, path: folder.path, reason }] : []
}

const sortedFaults = (leftOut: Array<RuleFault>): Array<RuleFault> => {
  const folders = [...new Set(leftOut.map(({ folder }) => folder))]
  return leftOut.toSorted((one, other) =>
    folders.indexOf(one.folder) - folders.indexOf(other.folder) || (one.path < other.path ? -1 : 1)
  )
}

const withUniqueNames = (rules: Array<Rule>, workspace: Workspace): Array<Rule> =>
  rules.map((rule) => {
    const { path, folder, file } = rule
    if (!rules.some((other) => other !== rule && other.name === rule.name)) return rule
    const isInside = contains(workspace.worktree, path)
    return { ...rule, name: isInside ? pathPattern(workspace, path) : `${basename(folder.path)}/${file}` }
  })

const compareWithHost = async (
  { rules, leftOut }: CompiledRules,
  folderRules: Array<FolderRules>,
  pathsOfOtherTools: Array<string>,
  listSent: () => Promise<Array<string>>,
): Promise<Omit<RulesOnDisk, 'missing'>> => {
  const otherPaths = await existingPaths(pathsOfOtherTools)
  const isEmpty = [rules, leftOut, otherPaths].every((list) => list.length === 0)
  const instructions = isEmpty ? [] : await listSent()
  const sent = new Set(await Promise.all(instructions.map(realPathOrSelf)))
  const realOtherPaths = await Promise.all(otherPaths.map(realPathOrSelf))
  const read = new Set([...sent, ...folderRules.flatMap(({ foldersRead }) => [...foldersRead])])
  return {
    rules: rules.filter(({ realPath }) => !sent.has(realPath)),
    checkOnly: rules.filter((rule) => hasChecks(rule) && sent.has(rule.realPath)),
    leftOut,
    instructions,
    notRead: otherPaths.filter((_, index) => !read.has(realOtherPaths[index]!)),
  }
}
