import { basename } from 'node:path'
import { sessionBudget } from '../checks/budget.ts'
import { findInstructions } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { existing } from '../instructions/instruction-paths.ts'
import { contains, pathPattern, type Workspace } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { pluralize } from '../text/pluralize.ts'
import { rulesCompiler } from './compile-rules.ts'
import {
  type FolderRules,
  MAX_BYTES,
  MAX_RULES,
  type Rule,
  ruleFolderReader,
  type WrittenRule,
} from './rule-files.ts'
import { ruleFolders } from './rule-folders.ts'
import type { LeftOut } from './rule-walk.ts'

/** The rules for the sessions now, what was left out, and what the host sends by itself. */
export type RulesOnDisk = {
  rules: Array<Rule>
  /** Those that the host sends by itself: they only check. */
  checking: Array<Rule>
  leftOut: Array<LeftOut>
  /** The entries of the option `rules.directories` that lead to no folder. */
  missing: Array<string>
  /** The files that the host sends by itself as instruction files. */
  instructions: Array<string>
  /** Folders and files of other tools that are there and that nobody named. */
  folders: Array<string>
}

/** Reads the rules that sessions have now, and where it `isFresh`, looks up again what the host sends by itself. */
export type ReadRules = (isFresh: boolean) => Promise<RulesOnDisk>

/**
 * Keeps one rule for each file, in their order, as many as a session can take; a project's rule, faulty or not, replaces
 * the global one of the same name.
 */
const chosen = (looked: Array<FolderRules>): { written: Array<WrittenRule>; leftOut: Array<LeftOut> } => {
  const found = looked.flatMap(({ rules }) => rules)
  // A file may be found twice: through a link, or in a folder that is named twice.
  const told = new Set<string>()
  const faults = looked.flatMap(({ leftOut }) => leftOut)
    .filter(({ path }) => !told.has(path) && told.add(path))
  const own = new Set(
    [...found, ...faults].filter(({ folder }) => folder.scope === 'project').map(({ name }) => name),
  )
  const over = new Map(looked.map(({ folder, more }) => [folder, more]))
  const seen = new Set<string>()
  const written: Array<WrittenRule> = []
  let bytes = 0
  for (const rule of found) {
    const { folder, name, realPath, body } = rule
    if (seen.has(realPath) || (folder.scope === 'global' && own.has(name))) continue
    seen.add(realPath)
    const size = Buffer.byteLength(body)
    const fits = written.length < MAX_RULES && bytes + size <= MAX_BYTES
    if (fits) written.push(rule)
    else over.set(folder, (over.get(folder) ?? 0) + 1)
    bytes += fits ? size : 0
  }
  const leftOut = [...faults]
  for (const [folder, number] of over) {
    const files = `${pluralize(number, 'more rule file')} ${number === 1 ? 'is' : 'are'} left out`
    const reason = `${files}: a session takes at most ${MAX_RULES} rules with ${MAX_BYTES / 1024} KB in all`
    if (number > 0) leftOut.push({ folder, path: folder.path, reason })
  }
  return { written, leftOut }
}

/** Sorts faults by their files, folder by folder. */
const sorted = (leftOut: Array<LeftOut>): Array<LeftOut> => {
  const folders = [...new Set(leftOut.map(({ folder }) => folder))]
  return leftOut.toSorted((one, other) =>
    folders.indexOf(one.folder) - folders.indexOf(other.folder) || (one.path < other.path ? -1 : 1)
  )
}

/** Names rules of the same name by their paths, so that the panel can distinguish them. */
const withOwnNames = (rules: Array<Rule>, place: Workspace): Array<Rule> =>
  rules.map((rule) => {
    const { path, folder, file } = rule
    if (!rules.some((other) => other !== rule && other.name === rule.name)) return rule
    const isInside = contains(place.worktree, path)
    return { ...rule, name: isInside ? pathPattern(place, path) : `${basename(folder.path)}/${file}` }
  })

/** Lists the paths of the files that the host sends by itself to sessions of a place. */
export const sentByHost = async (place: Workspace, config: HostConfig): Promise<Array<string>> => {
  const [directory, worktree] = [await realPathOr(place.directory), await realPathOr(place.worktree)]
  return (await findInstructions(directory, hostViewOf({ worktree }, config))).paths
}

/**
 * Makes the function that reads the rules on the disk for the sessions of one instance of the host: the same rules as
 * before where nothing changed. Unless it `isFresh`, what the host sends is looked up when a rule has changed.
 *
 * @param place where the session is, links resolved
 * @param directories the option `rules.directories`
 * @param listSent lists the paths of the files that the host sends by itself
 * @param report is given what is new on the disk
 * @param hasChecks the option `rules.checks`
 */
export const rulesReader = (
  place: Workspace,
  directories: Array<string>,
  listSent: () => Promise<Array<string>>,
  report: (onDisk: RulesOnDisk) => void = () => {},
  hasChecks = true,
): ReadRules => {
  const { folders, others } = ruleFolders(place, directories)
  const budget = sessionBudget()
  const readers = folders.map((folder) => ruleFolderReader(folder, place.worktree, budget))
  const compile = rulesCompiler(hasChecks)
  let last: { looked: Array<FolderRules>; onDisk: RulesOnDisk } | undefined
  const combine = async (looked: Array<FolderRules>): Promise<RulesOnDisk> => {
    const { written, leftOut: unread } = chosen(looked)
    const { rules, leftOut: uncompiled } = await compile(written, budget)
    const leftOut = sorted([...unread, ...uncompiled])
    const otherPaths = await existing(others)
    const instructions = rules.length + leftOut.length + otherPaths.length === 0 ? [] : await listSent()
    const sent = new Set(await Promise.all(instructions.map(realPathOr)))
    const unnamed = otherPaths.map(async (path) => sent.has(await realPathOr(path)) ? [] : path)
    const entries = looked.flatMap(({ isThere, folder }) => isThere ? folder.named : [])
    const named = withOwnNames(rules, place)
    return {
      rules: named.filter(({ realPath }) => !sent.has(realPath)),
      checking: named.filter(({ realPath, checks }) => checks && sent.has(realPath)),
      leftOut,
      missing: [...new Set(directories)].filter((entry) => !entries.includes(entry)),
      instructions,
      folders: (await Promise.all(unnamed)).flat(),
    }
  }
  return async (isFresh) => {
    Object.assign(budget, sessionBudget())
    const looked = await Promise.all(readers.map((look) => look()))
    const isSame = !isFresh && looked.every((one, index) => one === last?.looked[index])
    if (last && isSame) return last.onDisk
    last = { looked, onDisk: await combine(looked) }
    report(last.onDisk)
    return last.onDisk
  }
}
