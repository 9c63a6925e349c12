/** Prints messages and sets the exit status in `opencode run`, which has no screen and ends with its turn. */
import { isMainThread } from 'node:worker_threads'
import { formatViolations } from '../checks/format-violations.ts'
import type { Violation } from '../checks/violations.ts'
import { markHidden } from '../text/hidden-characters.ts'

/** Whether this process is `opencode run` without `--interactive`, which adds a screen. */
export const isRun = (): boolean =>
  // `opencode --prompt run` also has the argument `run`, but a host with a screen runs its plugins in a worker.
  isMainThread && process.argv.includes('run')
  && !process.argv.some((option) => option === '-i' || option === '--interactive')

export const printInRun = (line: string): boolean => {
  const isPrinted = isRun()
  if (isPrinted) process.stderr.write(`${markHidden(line)}\n`)
  return isPrinted
}

/** If lines break rules, `SAT_EXIT=1` makes `opencode run` end with status 1, for CI. */
export const printBroken = (broken: Array<Violation>): void => {
  if (broken.length === 0 || !printInRun(`Still breaks rules:\n${formatViolations(broken)}`)) return
  if (process.env['SAT_EXIT'] === '1') process.exitCode = 1
}
