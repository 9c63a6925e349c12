import { setTimeout } from 'node:timers/promises'

// On Windows, a virus scanner, an editor or an indexer may hold a file for a moment. Elsewhere, a retry is useless.
const PAUSES_MS = process.platform === 'win32' ? [10, 20, 40, 80, 160] : []

const HELD = /^E(?:ACCES|BUSY|PERM)$/

/** Runs work on a file; on Windows, retries while another program holds the file. */
export const retryWhileHeld = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const pause of PAUSES_MS) {
    try {
      return await work()
    } catch (thrown) {
      if (!HELD.test(String(Object(thrown).code))) throw thrown
    }
    await setTimeout(pause)
  }
  return work()
}
