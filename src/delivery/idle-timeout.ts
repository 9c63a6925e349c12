/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

const MAX_WAITS = 10

/**
 * Creates a function that calls `work`. The function fails after ten times `limitMs`, or earlier if the number from
 * `countAnswers` stays the same for `limitMs`. `work` itself goes on. Until `work` ends, further calls fail at once.
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limitMs: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let abandoned: Promise<T> | undefined
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    // Another call that waits for this run may abandon it.
    for (let waits = 1; run !== abandoned; waits++) {
      const answersBefore = countAnswers()
      const result = await withTimeout(limitMs, run)
      if (result.error === null) return result
      if (waits === MAX_WAITS || countAnswers() === answersBefore) abandoned = run
    }
    // Fails at once, unless the abandoned run has just ended.
    return withTimeout(0, run)
  }
}
