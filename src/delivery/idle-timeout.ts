/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

// A disk that goes on answering gets up to ten times as long as one that does not answer.
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` and waits for its result. Calls during a run share the run. A call fails after
 * `limitMs` without a new answer, or after ten times that limit. The run then goes on, but calls no longer wait for it.
 * `countAnswers` returns how many answers the disk has given so far.
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limitMs: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  /** The last run for which a call has waited in vain. No call waits for it again. */
  let lateRun: Promise<T> | undefined
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    // Another call that shares the run may also set `lateRun`, which ends this loop.
    for (let waits = 1; run !== lateRun; waits++) {
      const answersBefore = countAnswers()
      const result = await withTimeout(limitMs, run)
      if (result.error === null) return result
      const isSilent = countAnswers() === answersBefore
      if (isSilent || waits === MAX_WAITS) lateRun = run
    }
    // A run that has ended still gives its result.
    return withTimeout(0, run)
  }
}
