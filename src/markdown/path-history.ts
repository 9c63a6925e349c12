import { askGit } from '../paths/git.ts'
import { inBackticks } from '../text/quoted-name.ts'

// With the whole diff of a commit, a deletion and an addition in it are seen as one renaming.
const LOG = 'log --full-diff -M --diff-filter=DR --name-status --format=%x01%h%x01%an%x01%as --'.split(' ')

// How many paths the log is asked about.
const MAX_PATHS = 100
const MAX_LINES = 50_000

const toPathspecs = (path: string): Array<string> => {
  const literal = path.replace(/[*?[\\]/g, '\\$&')
  return [`:(glob)**/${literal}`, `:(glob)**/${literal}/**`]
}

/**
 * Asks git, in one call, who deleted or renamed paths, and when.
 *
 * @param paths from the root, or the ends of such; of a folder its newest file counts
 * @returns path → what was done to it, in words; `isWhole` where git gave a whole answer about them in time
 */
export const removalsOf = async (
  root: string,
  paths: Array<string>,
): Promise<{ removals: Map<string, string>; isWhole: boolean }> => {
  const removals = new Map<string, string>()
  const asked = new Set(paths.slice(0, MAX_PATHS))
  if (asked.size === 0) return { removals, isWhole: false }
  const { text, isWhole } = await askGit(root, [...LOG, ...[...asked].flatMap(toPathspecs)])
  let commit = ''
  for (const line of text.split('\n', MAX_LINES)) {
    const [, hash, author = '', date = ''] = line.split('\x01')
    if (hash !== undefined) commit = `in ${hash} by ${inBackticks(author)}, ${date}`
    const [kind = '', old = '', renamed = ''] = line.split('\t')
    const what = kind.startsWith('R') ? `renamed to ${inBackticks(renamed)}` : 'deleted'
    for (const path of old === '' ? [] : asked) {
      if (!`/${old}/`.includes(`/${path}/`)) continue
      removals.set(path, `git: ${inBackticks(old)} ${what} ${commit}`)
      asked.delete(path)
    }
  }
  return { removals, isWhole: isWhole && paths.length <= MAX_PATHS }
}
