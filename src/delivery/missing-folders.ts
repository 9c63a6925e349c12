import leven from 'leven'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Budget, spend } from '../checks/budget.ts'
import { excerpt } from '../text/quoted-name.ts'
import { readInBatches } from '../text/read.ts'
import { MISSING, type StateReader } from './file-state.ts'

/**
 * Returns a note for each rule with a glob that begins with a missing folder, and undefined for each other rule;
 * nothing if no rule has globs. The note suggests a similar folder: `src` for `scr`.
 *
 * @param track returns the state of a folder, and checks it again at the next read
 */
export const missingFolders = async (
  rules: Array<{ globs?: Array<string> }>,
  worktree: string,
  track: StateReader,
  budget: Budget,
): Promise<Array<string | undefined>> => {
  const hasGlobs = rules.some(({ globs }) => globs)
  const names = hasGlobs ? await readdir(worktree).catch(() => null) : null
  if (names === null) return []
  const { firstFolderOf } = await import('./rule-globs.ts')
  const existing = new Set([undefined, ...names.map((name) => name.normalize())])
  return readInBatches(rules, async ({ globs = [] }) => {
    const missing = budget.ms > 0
      && spend(budget, () => globs.map(firstFolderOf).find((folder) => !existing.has(folder)))
    // A disk that ignores case finds the folder even if the glob writes it differently.
    if (!missing || (await track(join(worktree, missing))).state !== MISSING.state) return undefined
    const similar = names.find((name) => name[0] === missing[0] && leven(name, missing) <= 2)
    return `there is no folder ${excerpt(missing)}${similar ? `; did you mean ${similar}?` : ''}`
  })
}
