/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

const MAX_WAITS = 10

/**
 * Creates a function whose calls fail if `countAnswers` does not rise for `limitMs`, or after ten times `limitMs`. The
 * run itself goes on, and until it ends, further calls fail at once.
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limitMs: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let abandoned: Promise<T> | undefined
  const waitFor = async (run: Promise<T>): Promise<void> => {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const answersBefore = countAnswers()
      const { error } = await withTimeout(limitMs, run)
      if (error === null) return
      const isSilent = countAnswers() === answersBefore
      // Another call that waits for this run may have abandoned it.
      if (isSilent || run === abandoned) break
    }
    abandoned = run
  }
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    if (run !== abandoned) await waitFor(run)
    // Fails at once if the run was abandoned.
    return withTimeout(0, run)
  }
}
