import { expect, test } from 'bun:test'
import { retryWhileHeld } from './retry-while-held.ts'

/** Fails so often with an error of the disk, then works; gives the number of tries, or the error. */
const triesOf = async (code: string, failures: number, pauses?: Array<number>): Promise<unknown> => {
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries <= failures) throw Object.assign(new Error(code), { code })
    return tries
  }
  return retryWhileHeld(work, pauses).catch((thrown: unknown) => [tries, Object(thrown).code])
}

test.each<[code: string, failures: number, pauses: Array<number> | undefined, tries: unknown]>([
  ['EPERM', 2, [1, 1], 3],
  ['EBUSY', 1, [1, 1], 2],
  ['EACCES', 1, [1, 1], 2],
  ['EPERM', 3, [1, 1], [3, 'EPERM']],
  ['ENOSPC', 1, [1, 1], [1, 'ENOSPC']],
  // Here such an error lasts, and nobody waits for it.
  ['EPERM', 1, undefined, [1, 'EPERM']],
])('%s, %d times, with the pauses %j: %j', async (code, failures, pauses, tries) => {
  expect(await triesOf(code, failures, pauses)).toEqual(tries)
})
