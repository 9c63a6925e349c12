/** `bun run test` and `bun run units` preload this file. */
import fc from 'fast-check'
import { existsSync, statfsSync } from 'node:fs'

fc.configureGlobal({ seed: 20_261_122 })

const MEMORY_FOLDER = '/dev/shm'
const NEEDED_BYTES = 8e9

// Puts temporary files into memory. With files on a disk, tests would spend a tenth of their time waiting.
if (existsSync(MEMORY_FOLDER)) {
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  const freeBytes = Math.min(bavail * bsize, process.availableMemory())
  if (freeBytes > NEEDED_BYTES) process.env['TMPDIR'] = MEMORY_FOLDER
}
