/** Prepares a run of all tests: `bun run test` preloads it, `bun test FILE` does not. */
import fc from 'fast-check'
import { existsSync, statfsSync } from 'node:fs'

// The same generated cases in each run. A single file draws new ones each time.
fc.configureGlobal({ seed: 20_261_122 })

/** The folder that Linux keeps in memory, and the free bytes in it that all tests need. */
const MEMORY = '/dev/shm'
const ROOM = 8e9

// On a disk, tests would spend a tenth of their time waiting: hosts write to their databases, and SAT syncs its writes.
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, process.availableMemory()) > ROOM) process.env['TMPDIR'] = MEMORY
}
