import { readdir } from 'node:fs/promises'
import { basename, join, posix, relative, sep } from 'node:path'
import { contains, withSlashes } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { isFolder, realPathOr } from '../paths/real-path.ts'
import type { RuleFolder } from './rule-folders.ts'
import { dialectOf } from './rules-of-other-tools.ts'

/** A file or folder that is left out, and why. */
export type LeftOut = {
  folder: RuleFolder
  path: string
  /** The name of the rule that the file would be. */
  name?: string
  /** Counted from 1. */
  line?: number | undefined
  reason: string
  /** Only its patterns are left out; its words are sent. */
  isSent?: true
  /** It is offered to the model instead of sent: a key that SAT does not read may limit it. */
  isOffered?: true
}

/** What a rule folder contains: its rule files, relative to it and with `/`, and what was left out. */
export type Walk = { files: Array<string>; leftOut: Array<LeftOut>; isThere: boolean }

// Rules are written by hand. A larger folder was linked or named by mistake.
const MAX_ENTRIES = 5_000

// A file that a person may have meant as a rule: one without an ending, or with the ending of a text.
const ALMOST_RULE = /^[^.]+$|\.(?:txt|markdown|mdx)$/i

/** An entry of a rule folder: its path relative to the folder with `/`, and its real path. */
type FolderEntry = { at: string; real: string; isFolder: boolean }

const NO_TARGET = 'a link may lead only to .md and .mdc files of the project that git does not ignore'

/** Whether a link of the project may lead to a file or folder. */
const isTarget = ({ real, isFolder }: FolderEntry, worktree: string): boolean =>
  contains(worktree, real) && !relative(worktree, real).split(sep).includes('.git')
  && (isFolder || /^[^.].*\.mdc?$/i.test(basename(real)))

/** Lists the entries of a folder without hidden names; none if the folder cannot be read. */
const entriesOf = async (root: string, folder: FolderEntry): Promise<Array<FolderEntry>> => {
  const entries = await readdir(join(root, folder.at), { withFileTypes: true }).catch(() => [])
  return Promise.all(
    entries.filter(({ name }) => !name.startsWith('.')).map(async (entry) => {
      const at = posix.join(folder.at, entry.name)
      const isLink = entry.isSymbolicLink()
      const real = isLink ? await realPathOr(join(root, at)) : join(folder.real, entry.name)
      return { at, real, isFolder: isLink ? await isFolder(real) : entry.isDirectory() }
    }),
  )
}

/**
 * Lists the files of a rule folder. A link among the project's rules must lead to a Markdown file of the project that
 * git does not ignore: in a cloned repository it could otherwise send any file. The person's own links may lead anywhere.
 *
 * @param onFolder is called with each folder before it is read
 */
export const walkRules = async (
  folder: RuleFolder,
  worktree: string,
  onFolder: (path: string) => Promise<unknown>,
): Promise<Walk> => {
  const { path: root, scope } = folder
  const { ending, folder: tool } = dialectOf(root)
  const isOwn = scope === 'global' || !contains(worktree, root)
  const isForeignLink = ({ at, real }: FolderEntry) => !isOwn && real !== join(root, at)
  const leftOut = new Map<string, string>()
  const rules: Array<FolderEntry> = []
  const visited = new Set<string>()
  let tooLarge: string | undefined
  const isThere = await isFolder(root)
  const entries: Array<FolderEntry> = isThere
    ? [{ at: '', real: await realPathOr(root), isFolder: true }]
    : []
  // The list grows while it is read.
  for (const entry of entries) {
    const { at, real, isFolder } = entry
    const name = basename(at)
    if (!isFolder && !ending.test(at)) {
      // In another tool's folder, other files are that tool's.
      if (tool === null && ALMOST_RULE.test(name)) {
        leftOut.set(at, `a rule file ends in .md or .mdc; did you mean ${name.replace(/\.\w+$/, '')}.md?`)
      }
    } else if (isForeignLink(entry) && !isTarget(entry, worktree)) leftOut.set(at, NO_TARGET)
    else if (!isFolder) rules.push(entry)
    else if (!visited.has(real)) {
      await onFolder(join(root, at))
      const below = await entriesOf(root, entry)
      if (entries.length + below.length <= MAX_ENTRIES) entries.push(...below)
      else tooLarge ??= at
    }
    visited.add(real)
  }
  if (tooLarge !== undefined) leftOut.set(tooLarge, `a rule folder has at most ${MAX_ENTRIES} entries`)
  const targetOf = ({ real }: FolderEntry) => withSlashes(relative(worktree, real))
  const links = rules.filter(isForeignLink)
  const ignored = await ignoredByGit(worktree, links.map(targetOf))
  for (const link of links) if (ignored?.has(targetOf(link))) leftOut.set(link.at, NO_TARGET)
  return {
    files: rules.flatMap(({ at }) => (leftOut.has(at) ? [] : [at])),
    leftOut: [...leftOut].map(([at, reason]) => ({ folder, path: join(root, at), reason })),
    isThere,
  }
}
