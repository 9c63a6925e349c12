import { readdir } from 'node:fs/promises'
import { basename, join, posix, relative, sep } from 'node:path'
import { contains, withSlashes } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { isFolder, realPathOr } from '../paths/real-path.ts'
import type { RuleFolder } from './rule-folders.ts'
import { dialectOf } from './rules-of-other-tools.ts'

/** A file or folder that is left out, and why; `line` is counted from 1, `name` is that of the rule that it would be. */
export type LeftOut = {
  folder: RuleFolder
  path: string
  name?: string
  line?: number | undefined
  reason: string
  /** Only its patterns are left out: its words are sent. */
  isSent?: true
  /** It is offered to the model, and not sent: a key that is not read may limit it. */
  isOffered?: true
}

/** What is in a rule folder: its rule files relative to it with `/`, and what was left out. */
export type Walk = { files: Array<string>; leftOut: Array<LeftOut>; isThere: boolean }

// Rules are written by hand. A folder with more was linked or named by mistake.
const MAX_ENTRIES = 5_000

// What a person may have meant as a rule: a file without an ending, or with that of a text.
const ALMOST_RULE = /^[^.]+$|\.(?:txt|markdown|mdx)$/i

/** Something in a rule folder: its path relative to that with `/`, and its real path. */
type Found = { at: string; real: string; isFolder: boolean }

const NO_TARGET = 'a link may lead only to .md and .mdc files of the project that git does not ignore'

/** Whether a link of the project may lead to a file or folder. */
const isTarget = ({ real, isFolder }: Found, worktree: string): boolean =>
  contains(worktree, real) && !relative(worktree, real).split(sep).includes('.git')
  && (isFolder || /^[^.].*\.mdc?$/i.test(basename(real)))

/** Says what a file that is no rule was most likely meant as, or null; in another tool's folder it is that tool's. */
const meantBy = (name: string, tool: string | null): string | null =>
  tool === null && ALMOST_RULE.test(name)
    ? `a rule file ends in .md or .mdc; did you mean ${name.replace(/\.\w+$/, '')}.md?`
    : null

/** Lists what is in a folder, without hidden names; nothing where it cannot be read. */
const entriesOf = async (root: string, folder: Found): Promise<Array<Found>> => {
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
 * Lists the files of a rule folder. Links of the project's rules are followed to Markdown files of the project that git
 * does not ignore: a link in a cloned repository could send any file. The person's own may lead anywhere.
 *
 * @param look is told of each folder before it is read
 */
export const walkRules = async (
  folder: RuleFolder,
  worktree: string,
  look: (path: string) => Promise<unknown>,
): Promise<Walk> => {
  const { path: root, scope } = folder
  const { ending, folder: tool } = dialectOf(root)
  const isOwn = scope === 'global' || !contains(worktree, root)
  const isLinked = ({ at, real }: Found) => !isOwn && real !== join(root, at)
  const leftOut = new Map<string, string>()
  const rules: Array<Found> = []
  const seen = new Set<string>()
  let tooLarge: string | undefined
  const isThere = await isFolder(root)
  const waiting: Array<Found> = isThere ? [{ at: '', real: await realPathOr(root), isFolder: true }] : []
  for (const found of waiting) {
    const { at, real, isFolder } = found
    const isOther = !isFolder && !ending.test(at)
    const isForbidden = !isOther && isLinked(found) && !isTarget(found, worktree)
    const reason = isOther ? meantBy(basename(at), tool) : isForbidden ? NO_TARGET : null
    if (reason !== null) leftOut.set(at, reason)
    else if (isFolder && !seen.has(real)) {
      await look(join(root, at))
      const entries = await entriesOf(root, found)
      if (waiting.length + entries.length <= MAX_ENTRIES) waiting.push(...entries)
      else tooLarge ??= at
    } else if (!isFolder && !isOther) rules.push(found)
    seen.add(real)
  }
  if (tooLarge !== undefined) leftOut.set(tooLarge, `more than ${MAX_ENTRIES} entries are not looked at`)
  const targetOf = ({ real }: Found) => withSlashes(relative(worktree, real))
  const ignored = await ignoredByGit(worktree, rules.filter(isLinked).map(targetOf))
  for (const found of rules.filter(isLinked)) {
    if (ignored?.has(targetOf(found))) leftOut.set(found.at, NO_TARGET)
  }
  return {
    files: rules.flatMap(({ at }) => (leftOut.has(at) ? [] : [at])),
    leftOut: [...leftOut].map(([at, reason]) => ({ folder, path: join(root, at), reason })),
    isThere,
  }
}
