/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

// A disk that goes on answering gets up to ten times as long as one that does not answer.
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` and waits for the result. It fails when `limit` milliseconds pass without a
 * further answer, or after ten times the limit. Calls during a run share the run; once one has failed, no further call
 * waits for that run.
 *
 * @param countAnswers returns the number of answers so far, for example of a disk
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limit: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  /** The run for which a call has waited in vain. */
  let lateRun: Promise<T> | undefined
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    for (let waits = 1;; waits++) {
      const isLate = run === lateRun
      const answersBefore = countAnswers()
      const result = await withTimeout(isLate ? 0 : limit, run)
      const isProgressing = result.error !== null && countAnswers() > answersBefore
      if (isProgressing && !isLate && waits < MAX_WAITS) continue
      if (result.error !== null) lateRun = run
      return result
    }
  }
}
