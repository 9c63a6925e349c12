import leven from 'leven'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Budget, spend } from '../checks/budget.ts'
import { excerpt } from '../text/quoted-name.ts'
import { readInBatches } from '../text/read.ts'
import { type Look, MISSING } from './file-state.ts'

/** Notes a folder that the globs of a rule begin with and that is not there, rule by rule: `scr` is most likely `src`. */
export const missingFolders = async (
  rules: Array<{ globs?: Array<string> }>,
  worktree: string,
  look: Look,
  budget: Budget,
): Promise<Array<string | undefined>> => {
  const hasGlobs = rules.some(({ globs }) => globs)
  const names = hasGlobs ? await readdir(worktree).catch(() => null) : null
  if (names === null) return []
  const { firstFolderOf } = await import('./rule-globs.ts')
  const there = new Set([undefined, ...names.map((name) => name.normalize())])
  return readInBatches(rules, async ({ globs = [] }) => {
    const missing = budget.ms > 0
      && spend(budget, () => globs.map(firstFolderOf).find((folder) => !there.has(folder)))
    // It may be there by another spelling, and is looked for until it is there.
    if (!missing || (await look(join(worktree, missing))).state !== MISSING.state) return undefined
    const near = names.find((name) => name[0] === missing[0] && leven(name, missing) <= 2)
    return `there is no folder ${excerpt(missing)}${near ? `; did you mean ${near}?` : ''}`
  })
}
