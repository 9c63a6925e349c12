/** Prepares a run of all tests: `bun run test` and `bun run units` preload this file. */
import fc from 'fast-check'
import { existsSync, statfsSync } from 'node:fs'

// Property tests get the same generated cases in each run. In `bun test FILE`, without this file, they get new ones.
fc.configureGlobal({ seed: 20_261_122 })

/** The folder that Linux keeps in memory. */
const MEMORY_FOLDER = '/dev/shm'
/** How much space and memory must be free for the files of all tests. */
const NEEDED_BYTES = 8e9

// On a disk, tests would spend a tenth of their time waiting: hosts write to their databases, and SAT syncs its writes.
if (existsSync(MEMORY_FOLDER)) {
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  const freeBytes = Math.min(bavail * bsize, process.availableMemory())
  if (freeBytes > NEEDED_BYTES) process.env['TMPDIR'] = MEMORY_FOLDER
}
