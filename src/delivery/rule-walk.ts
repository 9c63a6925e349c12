/** Lists the files of a rule folder. Refuses links with which a repository could send other files to the model. */
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { relativeToWorktree } from '../paths/path-in-worktree.ts'
import { isFolder, realPathOrSelf } from '../paths/real-path.ts'
import { dialectOf } from './rule-dialects.ts'
import type { RuleFolder } from './rule-folders.ts'

/** A fault of a rule file or folder. What `path` names is left out, unless `isSent` or `isOffered` is set. */
export type RuleFault = {
  folder: RuleFolder
  path: string
  name?: string
  line?: number | undefined
  reason: string
  /** Only the patterns of the rule are left out. */
  isSent?: true
  /** The rule is only offered, because a key that SAT does not read may limit it. */
  isOffered?: true
}

/** `files` are the rule files, as paths relative to the rule folder, with `/`. */
export type Walk = { files: Array<string>; leftOut: Array<RuleFault>; exists: boolean }

// People write rules by hand. A larger folder was linked or named by mistake.
const MAX_ENTRIES = 5_000

const ALMOST_RULE = /^[^.]+$|\.(?:txt|markdown|mdx)$/i

/** `path` is relative to the rule folder, with `/`; `realPath` is absolute. */
type FolderEntry = { path: string; realPath: string; isFolder: boolean }

const TARGET_NOT_ALLOWED =
  'a link may lead only to .md and .mdc files of the project that git does not ignore'
const TOO_MANY_ENTRIES = `a rule folder has at most ${MAX_ENTRIES} entries`

/** Lists what a folder contains, without hidden files. The target of a link decides whether it counts as a folder. */
const entriesOf = async (root: string, folder: FolderEntry): Promise<Array<FolderEntry>> => {
  const entries = await readdir(join(root, folder.path), { withFileTypes: true }).catch(() => [])
  return Promise.all(
    entries.filter(({ name }) => !name.startsWith('.')).map(async (entry) => {
      const path = posix.join(folder.path, entry.name)
      if (!entry.isSymbolicLink()) {
        return { path, realPath: join(folder.realPath, entry.name), isFolder: entry.isDirectory() }
      }
      const realPath = await realPathOrSelf(join(root, path))
      return { path, realPath, isFolder: await isFolder(realPath) }
    }),
  )
}

/** Whether a link of the project may lead to a path, which is undefined if it is outside of the worktree. */
const isAllowedTarget = (path: string | undefined, isFolder: boolean): boolean => {
  if (path === undefined || path.split('/').includes('.git')) return false
  return isFolder || /^[^.].*\.mdc?$/i.test(posix.basename(path))
}

/** Returns the fault of a file that was probably meant as a rule (`style`, `style.txt`); undefined for other files. */
const endingFault = (path: string): string | undefined => {
  const fileName = posix.basename(path)
  if (!ALMOST_RULE.test(fileName)) return undefined
  return `a rule file ends in .md or .mdc; did you mean ${fileName.replace(/\.\w+$/, '')}.md?`
}

/** Lists the rule files in a folder and below it. `onFolder` is called with each folder before it is read. */
export const walkRules = async (
  folder: RuleFolder,
  worktree: string,
  onFolder: (path: string) => Promise<unknown>,
): Promise<Walk> => {
  const { path: root, scope } = folder
  if (!await isFolder(root)) return { files: [], leftOut: [], exists: false }
  const { ending, folder: otherTool } = dialectOf(root)
  // The person's own links may lead anywhere.
  const isOwn = scope === 'global' || !contains(worktree, root)
  // The real path differs if the entry, or a folder above it, is a link.
  const isReachedByProjectLink = ({ path, realPath }: FolderEntry) => !isOwn && realPath !== join(root, path)
  const targetOf = ({ realPath }: FolderEntry) => relativeToWorktree(worktree, realPath)
  /** Why entries are left out, by their path. */
  const reasons = new Map<string, string>()
  const ruleEntries: Array<FolderEntry> = []
  // Links can form a circle, so each folder is read only once.
  const visited = new Set<string>()
  const entries: Array<FolderEntry> = [{ path: '', realPath: await realPathOrSelf(root), isFolder: true }]
  let hasOverfullFolder = false
  const addEntriesOf = async (entry: FolderEntry): Promise<void> => {
    if (visited.has(entry.realPath)) return
    visited.add(entry.realPath)
    await onFolder(join(root, entry.path))
    const below = await entriesOf(root, entry)
    const isOverfull = entries.length + below.length > MAX_ENTRIES
    if (!isOverfull) entries.push(...below)
    // Of several folders with too many entries, only the first is reported.
    else if (!hasOverfullFolder) reasons.set(entry.path, TOO_MANY_ENTRIES)
    hasOverfullFolder ||= isOverfull
  }
  // The list grows in this loop: each folder in it adds its own entries.
  for (const entry of entries) {
    const { path } = entry
    if (!entry.isFolder && !ending.test(path)) {
      // In the folder of another tool, a file with another ending belongs to that tool, so it is no fault.
      const fault = otherTool === null ? endingFault(path) : undefined
      if (fault !== undefined) reasons.set(path, fault)
    } else if (isReachedByProjectLink(entry) && !isAllowedTarget(targetOf(entry), entry.isFolder)) {
      reasons.set(path, TARGET_NOT_ALLOWED)
    } else if (entry.isFolder) await addEntriesOf(entry)
    else ruleEntries.push(entry)
  }
  // Git is asked only about rule files that a link of the project reaches, and about all of them at once.
  const linked = ruleEntries.filter(isReachedByProjectLink)
  const ignored = await ignoredByGit(worktree, linked.map((entry) => targetOf(entry)!))
  for (const entry of linked) if (ignored?.has(targetOf(entry)!)) reasons.set(entry.path, TARGET_NOT_ALLOWED)
  return {
    files: ruleEntries.flatMap(({ path }) => (reasons.has(path) ? [] : [path])),
    leftOut: [...reasons].map(([path, reason]) => ({ folder, path: join(root, path), reason })),
    exists: true,
  }
}
