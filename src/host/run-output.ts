/** What `opencode run` prints: it draws no screen and ends with its turn, so that nothing else would show it. */
import { isMainThread } from 'node:worker_threads'
import type { Broken } from '../checks/marks.ts'
import { listBroken } from '../checks/tell-broken.ts'
import { markHidden } from '../text/hidden-characters.ts'

/** Whether this is `opencode run`. */
export const isRun = (argv = process.argv): boolean =>
  isMainThread && argv.includes('run') && !argv.some((word) => word === '-i' || word === '--interactive')

/** Prints a line on stderr in `opencode run`; gives whether it was printed. */
export const printInRun = (line: string, argv = process.argv): boolean => {
  const isPrinted = isRun(argv)
  if (isPrinted) process.stderr.write(`${markHidden(line)}\n`)
  return isPrinted
}

/** Prints what breaks rules; with `SAT_EXIT=1` it makes `opencode run` end with status 1, for CI. */
export const printBroken = (broken: Array<Broken>): void => {
  if (broken.length === 0 || !printInRun(`Still breaks rules:\n${listBroken(broken)}`)) return
  if (process.env['SAT_EXIT'] === '1') process.exitCode = 1
}
