/** Lists the files of a rule folder. Refuses links with which a repository could send other files to the model. */
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { ignoredByGit } from '../paths/git.ts'
import { relativeToWorktree } from '../paths/path-in-worktree.ts'
import { followLinks, isFolder, pathExists, realPathOrSelf } from '../paths/real-path.ts'
import { dialectOf } from './rule-dialects.ts'
import { isOwn, type RuleFolder } from './rule-folders.ts'

/** A fault of the rule file or folder `path`, which is then left out, unless `isSent` or `isOffered` is set. */
export type RuleFault = {
  folder: RuleFolder
  path: string
  /** Missing if the file was not read. */
  realPath?: string | undefined
  name?: string
  line?: number | undefined
  reason: string
  /** Only the patterns of the rule are left out. */
  isSent?: true
  /** The model gets only the rule's path and description, because a key that SAT does not read may limit the rule. */
  isOffered?: true
}

export type Walk = {
  /** The paths of the rule files, relative to the folder, with `/`. */
  files: Array<string>
  leftOut: Array<RuleFault>
  exists: boolean
  /** The real paths of the folder and its subfolders. */
  foldersRead: Set<string>
}

// Includes the entries of all subfolders. A larger folder was probably linked or configured by mistake.
const MAX_ENTRIES = 5_000

// Matches a name without an ending (`style`), or with the ending of a text (`style.txt`).
const ALMOST_RULE = /^[^.]+$|\.(?:txt|mdx|m(?:ark)?down|mkdn?)$/i

/** `path` is relative to the rule folder, with `/`; `realPath` is absolute. */
type FolderEntry = { path: string; realPath: string; isFolder: boolean; isBrokenLink?: boolean }

const BROKEN_LINK = 'it is a link whose target does not exist or cannot be read'
const TARGET_NOT_ALLOWED =
  'a link may lead only to .md and .mdc files of the project that git does not ignore'
const TOO_MANY_ENTRIES = `a rule folder has at most ${MAX_ENTRIES} entries`

/** Leaves out hidden entries. A link to a folder counts as a folder. */
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
      return {
        path,
        realPath: target ?? link,
        isFolder: await isFolder(link),
        isBrokenLink: target === undefined,
      }
    }),
  )
}

/** Whether a link of the project may lead to `path`. If the target is outside of the worktree, `path` is undefined. */
const isAllowedTarget = (path: string | undefined, isFolder: boolean): boolean => {
  if (path === undefined || path.split('/').includes('.git')) return false
  return isFolder || /^[^.].*\.mdc?$/i.test(posix.basename(path))
}

/** Returns the fault of a file that was probably meant as a rule (`style`, `style.txt`); undefined for other files. */
const endingFault = (path: string): string | undefined => {
  const fileName = posix.basename(path)
  if (!ALMOST_RULE.test(fileName)) return undefined
  return `a rule file ends in .md or .mdc; did you mean ${fileName.replace(/(?:\.mdc?)?\.\w+$/i, '')}.md?`
}

/** Lists the rule files in a folder and below it. `track` is called with each folder and broken link. */
export const walkRules = async (
  folder: RuleFolder,
  worktree: string,
  track: (path: string) => Promise<unknown>,
): Promise<Walk> => {
  const { path: root } = folder
  if (!await isFolder(root)) {
    // A `root` that `rules.directories` names is no fault here, because `rulesReporter` reports the entries that name
    // no folder (if the entries are in a project's config).
    const isFault = !folder.entries?.length && await pathExists(root)
    const leftOut = isFault
      ? [{ folder, path: root, reason: 'it is neither a folder nor a link to a folder' }]
      : []
    return { files: [], leftOut, exists: false, foldersRead: new Set() }
  }
  const { ending, folder: otherTool } = dialectOf(root)
  // The person's own links may lead anywhere. If an entry, or a folder above it, is a link, the `realPath` of the entry
  // differs from `join(root, path)`.
  const isReachedByProjectLink = ({ path, realPath }: FolderEntry) =>
    !isOwn(folder) && realPath !== join(root, path)
  const targetOf = ({ realPath }: FolderEntry) => relativeToWorktree(worktree, realPath)
  /** Maps the path of an entry to the reason why it is left out. */
  const reasons = new Map<string, string>()
  const ruleEntries: Array<FolderEntry> = []
  const foldersRead = new Set<string>()
  let hasOverfullFolder = false
  const entries: Array<FolderEntry> = [{ path: '', realPath: await realPathOrSelf(root), isFolder: true }]
  // The list grows in this loop: each folder in it adds its own entries.
  for (const entry of entries) {
    const { path, realPath } = entry
    if (entry.isBrokenLink) {
      await track(join(root, path))
      reasons.set(path, BROKEN_LINK)
      continue
    }
    if (!entry.isFolder && !ending.test(path)) {
      // In the folder of another tool, a file with another ending belongs to that tool, so it is no fault.
      const fault = otherTool === null ? endingFault(path) : undefined
      if (fault !== undefined) reasons.set(path, fault)
      continue
    }
    if (isReachedByProjectLink(entry) && !isAllowedTarget(targetOf(entry), entry.isFolder)) {
      reasons.set(path, TARGET_NOT_ALLOWED)
      continue
    }
    if (!entry.isFolder) {
      ruleEntries.push(entry)
      continue
    }
    // Links can form a circle, so each folder is read only once.
    if (foldersRead.has(realPath)) continue
    foldersRead.add(realPath)
    await track(join(root, path))
    const below = await entriesOf(root, entry)
    if (entries.length + below.length <= MAX_ENTRIES) entries.push(...below)
    else {
      // Of several folders that exceed the limit, only the first is reported.
      if (!hasOverfullFolder) reasons.set(path, TOO_MANY_ENTRIES)
      hasOverfullFolder = true
    }
  }
  // Git is asked once, and only about the rule files that a link of the project reaches.
  const linked = ruleEntries.filter(isReachedByProjectLink)
  const ignored = await ignoredByGit(worktree, linked.map((entry) => targetOf(entry)!))
  for (const entry of linked) if (ignored?.has(targetOf(entry)!)) reasons.set(entry.path, TARGET_NOT_ALLOWED)
  return {
    files: ruleEntries.flatMap(({ path }) => (reasons.has(path) ? [] : [path])),
    leftOut: [...reasons].map(([path, reason]) => {
      // `selectRules` needs the rule's name: even if a project's rule file is left out, the file replaces the global
      // rule of the same name.
      const name = ending.test(path) ? { name: path.replace(ending, '') } : {}
      return { folder, path: join(root, path), reason, ...name }
    }),
    exists: true,
    foldersRead,
  }
}
