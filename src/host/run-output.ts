/** What `opencode run` prints: it draws no screen and ends with its turn, so that nothing else would show it. */
import { isMainThread } from 'node:worker_threads'
import type { Broken } from '../checks/judge.ts'
import { listBroken } from '../checks/tell-broken.ts'
import { markHidden } from '../text/hidden-characters.ts'

/** Prints a line on stderr in `opencode run`; gives whether it was printed. */
export const printInRun = (line: string, argv = process.argv): boolean => {
  const isInteractive = argv.some((word) => word === '-i' || word === '--interactive')
  const isRun = isMainThread && argv.includes('run') && !isInteractive
  if (isRun) process.stderr.write(`${markHidden(line)}\n`)
  return isRun
}

/** Prints what breaks rules. */
export const printBroken = (broken: Array<Broken>): void => {
  if (broken.length > 0) printInRun(`Still breaks rules:\n${listBroken(broken)}`)
}
