import { setTimeout } from 'node:timers/promises'

// On Windows, a virus scanner, an editor or an indexer may use a file for a moment.
const PAUSES_MS = process.platform === 'win32' ? [10, 20, 40, 80, 160] : []

const IN_USE = /^E(?:ACCES|BUSY|PERM)$/

/** On Windows, repeats the work while another program uses the file. */
export const retryWhileInUse = <T>(work: () => Promise<T>, [pause, ...later] = PAUSES_MS): Promise<T> =>
  work().catch(async (thrown: unknown) => {
    if (pause === undefined || !IN_USE.test(String(Object(thrown).code))) throw thrown
    await setTimeout(pause)
    return retryWhileInUse(work, later)
  })
