/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

// A disk that answers slowly gets up to ten times as long as one that does not answer.
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` and fails if `limit` milliseconds pass without a result or a further answer, or
 * after ten such waits. Calls during a run share the run. After a failure, calls do not wait: they fail too, until one
 * of them finds the run completed.
 *
 * @param countAnswers returns the number of answers so far, for example of a disk
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limit: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let hasFailed = false
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    for (let waits = 1;; waits++) {
      const answersBefore = countAnswers()
      const result = await withTimeout(hasFailed ? 0 : limit, run)
      const isProgressing = result.error !== null && countAnswers() > answersBefore
      if (isProgressing && !hasFailed && waits < MAX_WAITS) continue
      hasFailed = result.error !== null
      return result
    }
  }
}
