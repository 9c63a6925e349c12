import { askGit } from '../paths/git.ts'
import { inBackticks } from '../text/quoted-name.ts'

// The log is asked about so many paths, and read so far.
const MAX_PATHS = 100
const MAX_LINES = 50_000

/** What git knows of a path that is not there, in words; `isKnown` where a commit removed it. */
export type Removal = { isKnown: boolean; text: string }

const toPathspecs = (path: string): Array<string> => {
  const literal = path.replace(/[*?[\\]/g, '\\$&')
  return [`:(glob)**/${literal}`, `:(glob)**/${literal}/**`]
}

/**
 * Asks git, in one call, who deleted or renamed paths, and when. Where it gives no whole answer in time, what it does
 * not know has no entry.
 *
 * @param paths from the root, or the ends of such; of a folder its newest file counts
 */
export const removalsOf = async (root: string, paths: Array<string>): Promise<Map<string, Removal>> => {
  const removals = new Map<string, Removal>()
  const asked = new Set(paths.slice(0, MAX_PATHS))
  if (asked.size === 0) return removals
  // With the whole diff of a commit, a deletion and an addition in it are seen as one renaming.
  const args = [
    'log',
    '--full-diff',
    '-M',
    '--diff-filter=DR',
    '--name-status',
    '--format=%x01%h%x01%an%x01%as',
    '--',
  ]
  const { text, isWhole } = await askGit(root, [...args, ...[...asked].flatMap(toPathspecs)])
  let commit = ''
  for (const line of text.split('\n', MAX_LINES)) {
    const [, hash, author = '', date = ''] = line.split('\x01')
    if (hash !== undefined) commit = `in ${hash} by ${inBackticks(author)}, ${date}`
    const [kind = '', old = '', renamed = ''] = line.split('\t')
    const what = kind.startsWith('R') ? `renamed to ${inBackticks(renamed)}` : 'deleted'
    for (const path of old === '' ? [] : asked) {
      if (!`/${old}/`.includes(`/${path}/`)) continue
      removals.set(path, { isKnown: true, text: `git: ${inBackticks(old)} ${what} ${commit}` })
      asked.delete(path)
    }
  }
  for (const path of isWhole ? asked : []) {
    removals.set(path, { isKnown: false, text: 'no commit removed it' })
  }
  return removals
}
