import { type Result, withTimeout } from '../safe.ts'

// A slow disk, which answers bit by bit, gets up to ten times as long as a disk that does not answer.
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` with an idle timeout: it fails if no answer arrives within `limit` milliseconds,
 * or if the run takes ten times as long. Calls during a run share the run. Once a run has timed out, calls do not wait
 * for it.
 *
 * @param countAnswers returns the number of answers so far
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limit: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let isLate = false
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    let result: Result<T>
    let answersBefore: number
    let waits = 0
    do {
      answersBefore = countAnswers()
      result = await withTimeout(isLate ? 0 : limit, run)
      waits += 1
    } while (result.error !== null && !isLate && countAnswers() > answersBefore && waits < MAX_WAITS)
    isLate = result.error !== null
    return result
  }
}
