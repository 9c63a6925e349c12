import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import type { RuleFolder } from './rule-folders.ts'
import type { RuleDialect } from './rule-kinds.ts'

/** The real paths that decide where the links of a project's rules may lead: its root, and the host's global folder. */
export type LinkBounds = { worktree: string; config: string }

/** A file or folder that is left out, and why; `line` is counted from 1, `name` is that of the rule that it would be. */
export type LeftOut = { path: string; name?: string; line?: number; reason: string }

/** What is in a rule folder: its files relative to it with `/`, its folders, and what was left out. */
export type Walk = { files: Array<string>; folders: Array<string>; leftOut: Array<LeftOut> }

// Rules are written by hand. A folder with more was linked or named by mistake.
const MAX_ENTRIES = 5_000

// What a person may have meant as a rule: a file without an ending, or with that of a text.
const ALMOST_RULE = /^[^.]+$|\.(?:txt|markdown|mdx)$/i

/** Whether a path is a folder, or a link to one. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then((stats) => stats.isDirectory(), () => false)

/** Something in a rule folder: its path relative to that, and its real path; `isLinked` where a link leads to it. */
type Found = { at: string; real: string; isLinked: boolean; isFolder: boolean }

/** Why a link of the project may not lead to a file or folder, or null. */
const whyNot = ({ real, isFolder }: Found, { worktree, config }: LinkBounds): string | null => {
  const isPersons = contains(config, real) && !contains(config, worktree)
  if (!contains(worktree, real) || isPersons) return 'the link leads out of the project'
  if (relative(worktree, real).split(sep).includes('.git')) return 'the link leads into .git'
  const isMarkdown = /^[^.].*\.mdc?$/i.test(basename(real))
  return isFolder || isMarkdown ? null : 'the link leads to a file that is no .md or .mdc file'
}

/** Finds what an entry of a folder is, links followed; `real` is its own path where a link leads nowhere. */
const foundAt = async (entry: Dirent, folder: Found, path: string): Promise<Found> => {
  const at = folder.at === '' ? entry.name : `${folder.at}/${entry.name}`
  const real = join(folder.real, entry.name)
  if (!entry.isSymbolicLink()) return { at, real, isLinked: folder.isLinked, isFolder: entry.isDirectory() }
  const target = await realpath(path).catch(() => null)
  if (target === null) return { at, real, isLinked: false, isFolder: false }
  return { at, real: target, isLinked: true, isFolder: await isFolder(target) }
}

/** Leaves out the linked files that git ignores. */
const dropIgnored = async (
  walk: Walk,
  linked: ReadonlyMap<string, string>,
  worktree: string,
  leaveOut: (at: string, reason: string) => void,
): Promise<void> => {
  const ignored = await ignoredByGit(worktree, [...linked.values()])
  const isIgnored = (at: string): boolean => ignored?.has(linked.get(at) ?? '') ?? false
  for (const at of walk.files.filter(isIgnored)) leaveOut(at, 'the link leads to a file that git ignores')
  walk.files = walk.files.filter((at) => !isIgnored(at))
}

/**
 * Lists the files of a rule folder. Links of the project's rules are followed to Markdown files of the project that git
 * does not ignore: a link in a cloned repository could send any file. The person's own may lead anywhere.
 */
export const walkRules = async (
  { path, scope }: RuleFolder,
  { isRuleFile, folder }: RuleDialect,
  bounds: LinkBounds,
): Promise<Walk> => {
  const isOwn = scope === 'global' || !contains(bounds.worktree, path)
  const walk: Walk = { files: [], folders: [], leftOut: [] }
  const real = await realpath(path).catch(() => null)
  if (real === null || !(await isFolder(real))) return walk
  /** Linked files, each with its real path from the worktree. */
  const linked = new Map<string, string>()
  const seen = new Set<string>()
  const waiting: Array<Found> = [{ at: '', real, isLinked: real !== path, isFolder: true }]
  let count = 0
  const leaveOut = (at: string, reason: string): void =>
    void walk.leftOut.push({ path: join(path, at), reason })
  for (let found = waiting.pop(); found; found = waiting.pop()) {
    const { at, isLinked } = found
    const reason = isLinked && !isOwn && (found.isFolder || isRuleFile(at)) ? whyNot(found, bounds) : null
    if (reason !== null) leaveOut(at, reason)
    else if (!found.isFolder && isRuleFile(at)) {
      walk.files.push(at)
      if (isLinked && !isOwn) linked.set(at, relative(bounds.worktree, found.real))
    } else if (!found.isFolder && folder === null && ALMOST_RULE.test(basename(at))) {
      leaveOut(at, `a rule file ends in .md or .mdc; did you mean ${basename(at).replace(/\.\w+$/, '')}.md?`)
    }
    if (reason !== null || !found.isFolder || seen.has(found.real)) continue
    seen.add(found.real)
    walk.folders.push(join(path, at))
    const entries = await readdir(join(path, at), { withFileTypes: true }).catch(() => [])
    if ((count += entries.length) > MAX_ENTRIES) {
      leaveOut('', `it has more than ${MAX_ENTRIES} entries; the rest is not looked at`)
      break
    }
    for (const entry of entries) {
      if (!entry.name.startsWith('.')) waiting.push(await foundAt(entry, found, join(path, at, entry.name)))
    }
  }
  await dropIgnored(walk, linked, bounds.worktree, leaveOut)
  return walk
}
