/** Lists the rule files of a folder, without links through which the model would get files such as `.env`. */
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { ignoredByGit } from '../paths/git.ts'
import { relativeToWorktree } from '../paths/path-in-worktree.ts'
import { followLinks, isFolder, pathExists, realPathOrSelf } from '../paths/real-path.ts'
import { dialectOf } from './rule-dialects.ts'
import { isOwn, type RuleFolder } from './rule-folders.ts'

/** Says why a rule file or folder is left out or, with `isSent` or `isOffered`, used only in part. */
export type RuleFault = {
  folder: RuleFolder
  path: string
  realPath?: string | undefined
  name?: string
  line?: number | undefined
  reason: string
  /** The rule is sent, but its patterns are left out. */
  isSent?: true
  /** The model gets only the rule's path and description. */
  isOffered?: true
}

export type Walk = {
  /** Relative to the folder, with `/`. */
  files: Array<string>
  leftOut: Array<RuleFault>
  exists: boolean
  /** The real paths of the folder and its subfolders. */
  foldersRead: Set<string>
}

// A larger folder was probably linked or configured by mistake.
const MAX_ENTRIES = 5_000

// Matches `style` and `style.txt`.
const ALMOST_RULE = /^[^.]+$|\.(?:txt|mdx|m(?:ark)?down|mkdn?)$/i

type FolderEntry = { path: string; realPath: string; isFolder: boolean; isBrokenLink?: boolean }

const BROKEN_LINK = 'it is a link whose target does not exist or cannot be read'
const TARGET_NOT_ALLOWED =
  'a link may lead only to .md and .mdc files of the project that git does not ignore'
const TOO_MANY_ENTRIES = `a rule folder has at most ${MAX_ENTRIES} entries`

const entriesOf = async (root: string, folder: FolderEntry): Promise<Array<FolderEntry>> => {
  const entries = await readdir(join(root, folder.path), { withFileTypes: true }).catch(() => [])
  return Promise.all(
    entries.filter(({ name }) => !name.startsWith('.')).map(async (entry) => {
      const path = posix.join(folder.path, entry.name)
      if (!entry.isSymbolicLink()) {
        return { path, realPath: join(folder.realPath, entry.name), isFolder: entry.isDirectory() }
      }
      const link = join(root, path)
      const target = await followLinks(link).catch(() => undefined)
      const isBrokenLink = target === undefined
      return { path, realPath: target ?? link, isFolder: await isFolder(link), isBrokenLink }
    }),
  )
}

/** `path` is undefined if the target is outside of the worktree. */
const isAllowedTarget = (path: string | undefined, isFolder: boolean): boolean =>
  path !== undefined && !path.split('/').includes('.git')
  && (isFolder || /^[^.].*\.mdc?$/i.test(posix.basename(path)))

const endingFault = (path: string): string | undefined => {
  const fileName = posix.basename(path)
  if (!ALMOST_RULE.test(fileName)) return undefined
  return `a rule file ends in .md or .mdc; did you mean ${fileName.replace(/(?:\.mdc?)?\.\w+$/i, '')}.md?`
}

/** Calls `track` with each folder that it reads and each broken link, so that the caller can detect later changes. */
export const walkRules = async (
  folder: RuleFolder,
  worktree: string,
  track: (path: string) => Promise<unknown>,
): Promise<Walk> => {
  const { path: root } = folder
  if (!await isFolder(root)) {
    // If `rules.directories` in a project's config names the folder, `rulesReporter` warns that it is missing.
    const isFault = !folder.entries?.length && await pathExists(root)
    const fault = { folder, path: root, reason: 'it is neither a folder nor a link to a folder' }
    return { files: [], leftOut: isFault ? [fault] : [], exists: false, foldersRead: new Set() }
  }
  const { ending, folder: otherTool } = dialectOf(root)
  // `realPath` differs from the path if the entry, or a folder above it, is a link.
  const isReachedByProjectLink = ({ path, realPath }: FolderEntry) =>
    !isOwn(folder) && realPath !== join(root, path)
  const targetOf = ({ realPath }: FolderEntry) => relativeToWorktree(worktree, realPath)
  const reasonFor = (entry: FolderEntry): string | undefined => {
    const { path, isFolder, isBrokenLink } = entry
    if (isBrokenLink) return BROKEN_LINK
    // In another tool's folder, such as `.cursor/rules`, a file that is not a rule is no fault.
    if (!isFolder && !ending.test(path)) return otherTool === null ? endingFault(path) : undefined
    const isAllowed = !isReachedByProjectLink(entry) || isAllowedTarget(targetOf(entry), isFolder)
    return isAllowed ? undefined : TARGET_NOT_ALLOWED
  }
  const reasons = new Map<string, string>()
  const ruleEntries: Array<FolderEntry> = []
  const foldersRead = new Set<string>()
  let overfullFolder: string | undefined
  const entries: Array<FolderEntry> = [{ path: '', realPath: await realPathOrSelf(root), isFolder: true }]
  // The list grows in this loop.
  for (const entry of entries) {
    const { path, realPath, isFolder, isBrokenLink } = entry
    const reason = reasonFor(entry)
    if (reason !== undefined) reasons.set(path, reason)
    else if (!isFolder && ending.test(path)) ruleEntries.push(entry)
    // Links can form a circle.
    const isUnreadFolder = reason === undefined && isFolder && !foldersRead.has(realPath)
    if (isUnreadFolder || isBrokenLink) await track(join(root, path))
    if (!isUnreadFolder) continue
    foldersRead.add(realPath)
    const below = await entriesOf(root, entry)
    if (entries.length + below.length <= MAX_ENTRIES) entries.push(...below)
    else overfullFolder ??= path
  }
  if (overfullFolder !== undefined) reasons.set(overfullFolder, TOO_MANY_ENTRIES)
  const linked = ruleEntries.filter(isReachedByProjectLink)
  const ignored = await ignoredByGit(worktree, linked.map((entry) => targetOf(entry)!))
  for (const entry of linked) if (ignored?.has(targetOf(entry)!)) reasons.set(entry.path, TARGET_NOT_ALLOWED)
  return {
    files: ruleEntries.flatMap(({ path }) => (reasons.has(path) ? [] : [path])),
    leftOut: [...reasons].map(([path, reason]) => {
      // With `name`, even a faulty rule file of a project replaces the global rule of the same name.
      const name = ending.test(path) ? { name: path.replace(ending, '') } : {}
      return { folder, path: join(root, path), reason, ...name }
    }),
    exists: true,
    foldersRead,
  }
}
