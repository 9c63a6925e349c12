/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

// A disk that goes on answering gets up to ten times as long as one that does not answer.
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` and waits for it. It fails once `limitMs` pass without a further answer, or after
 * ten times the limit. The run itself goes on, and later calls share it; but after one call has failed, no further call
 * waits for that run. `countAnswers` returns how many answers there have been so far.
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limitMs: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  /** The last run for which a call has waited in vain. */
  let lateRun: Promise<T> | undefined
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    // Another call that shares the run may set `lateRun` while this one waits.
    for (let waits = 1; run !== lateRun; waits++) {
      const answersBefore = countAnswers()
      const result = await withTimeout(limitMs, run)
      if (result.error === null) return result
      const isProgressing = countAnswers() > answersBefore
      if (isProgressing && waits < MAX_WAITS) continue
      lateRun = run
      return result
    }
    return withTimeout(0, run)
  }
}
