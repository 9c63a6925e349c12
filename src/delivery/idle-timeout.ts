/** Limits how long a call waits for slow work, such as reading from a disk that may not answer. */
import { type Result, withTimeout } from '../safe.ts'

// A slow disk, which answers bit by bit, gets up to ten times as long as a disk that does not answer.
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` with an idle timeout: a call fails if `limit` milliseconds pass without a result
 * or a further answer, or after ten such waits. Calls during a run share the run. After a call has timed out, later
 * calls get a limit of 0, until one of them gets a result at once.
 *
 * @param countAnswers returns the number of answers so far, for example of a disk
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limit: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let hasTimedOut = false
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    let result: Result<T>
    let answersBefore: number
    let waits = 0
    do {
      answersBefore = countAnswers()
      result = await withTimeout(hasTimedOut ? 0 : limit, run)
      waits += 1
    } while (result.error !== null && !hasTimedOut && countAnswers() > answersBefore && waits < MAX_WAITS)
    hasTimedOut = result.error !== null
    return result
  }
}
