/** Finds globs that match nothing because a folder is missing or its name is misspelt. */
import leven from 'leven'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Budget, spend } from '../checks/budget.ts'
import { excerpt } from '../text/quoted-name.ts'
import { readInBatches } from '../text/read.ts'
import { MISSING, type StateReader } from './file-state.ts'

// The time limit for comparing names in one call of `noteMissingFolders`. It does not count against `budget`.
const COMPARE_MS = 50

/** Adds notes to rules with a glob that begins with a missing folder: `there is no folder scr; did you mean src?` */
export const noteMissingFolders = async <T extends { globs?: Array<string>; folderNote?: string }>(
  rules: Array<T>,
  worktree: string,
  track: StateReader,
  budget: Budget,
): Promise<Array<T>> => {
  const hasGlobs = rules.some(({ globs }) => globs)
  const names = hasGlobs ? await readdir(worktree).catch(() => null) : null
  if (names === null) return rules
  const { firstFolderOf } = await import('./rule-globs.ts')
  const comparing = { ms: COMPARE_MS }
  const isSimilar = (name: string, missing: string): boolean =>
    name[0] === missing[0] && comparing.ms > 0
    // For a larger distance than `maxDistance`, `leven` returns `maxDistance`.
    && spend(comparing, () => leven(name, missing, { maxDistance: 3 }) <= 2)
  const existing = new Set(names.map((name) => name.normalize()))
  return readInBatches(rules, async (rule) => {
    const { globs } = rule
    if (!globs || budget.ms <= 0) return rule
    const folders = spend(budget, () => globs.flatMap((glob) => firstFolderOf(glob) ?? []))
    const missing = folders.find((folder) => !existing.has(folder))
    if (missing === undefined) return rule
    // On a disk that ignores case, `Src` may exist as `src`.
    // The caller later checks each path passed to `track`, and reads the rules again when the folder appears.
    const { state } = await track(join(worktree, missing))
    if (state !== MISSING.state) return rule
    const similar = names.find((name) => isSimilar(name, missing))
    const question = similar ? `; did you mean ${excerpt(similar)}?` : ''
    return { ...rule, folderNote: `there is no folder ${excerpt(missing)}${question}` }
  })
}
