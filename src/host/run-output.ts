import type { Broken } from '../checks/judge.ts'
import { listBroken } from '../checks/words.ts'

/**
 * Prints what breaks rules on stderr where the process is `opencode run`, which draws no screen and ends with its turn:
 * nothing else would show it.
 */
export const printBroken = (broken: Array<Broken>, argv = process.argv): void => {
  const isRun = argv.slice(2).find((word) => !word.startsWith('-')) === 'run'
  if (isRun && broken.length > 0) process.stderr.write(`Still breaks rules:\n${listBroken(broken)}\n`)
}
