/** How a run of all tests begins: `bun run test` preloads it, `bun test FILE` does not. */
import fc from 'fast-check'
import { existsSync, statfsSync } from 'node:fs'

// The same generated cases in each run; a file alone draws others each time.
fc.configureGlobal({ seed: 20_261_122 })

/** Where Linux keeps files in memory, and the room in bytes for those of all tests. */
const MEMORY = '/dev/shm'
const ROOM = 8e9

// On a disk the tests wait for it, a tenth of their time: hosts write to their databases, and SAT's writes are synced.
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, process.availableMemory()) > ROOM) process.env['TMPDIR'] = MEMORY
}
