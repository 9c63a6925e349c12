import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fingerprintOf } from '../text/read.ts'

// Work under a lock takes milliseconds. A waiter counts how long it sees the same lock, since a file's time may be wrong.
const STALE_AFTER_MS = 10_000

const LOOK_AGAIN_MS = 5

const codeOf = (thrown: unknown): unknown => Object(thrown).code

const create = async (path: string, holder: string): Promise<boolean> => {
  try {
    await writeFile(path, holder, { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    throw thrown
  }
}

const holderOf = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  }
}

/** Whether the process that holds a lock is known to have ended. */
const isDead = (holder: string): boolean => {
  const [pid = '', host] = holder.split('\n')
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH'
  }
}

// How much of a fingerprint tells two holders of one lock apart.
const HOLDER_DIGITS = 8

// Of two waiters that find the same lock stale, the slower one would remove the fresh lock that the quicker one took
// meanwhile. So whoever removes a lock takes a lock for that first, named after the holder.
const removeStale = async (path: string, holder: string, abort: AbortSignal): Promise<void> => {
  const right = await takeLockFile(
    `${path}-${fingerprintOf(Buffer.from(holder)).slice(0, HOLDER_DIGITS)}`,
    abort,
  )
  try {
    if ((await holderOf(path)) === holder) await rm(path, { force: true })
  } finally {
    await right.release()
  }
}

/** A lock that this process holds against others. `isHeld` is false once another process took it over. */
type LockFile = { isHeld(): Promise<boolean>; release(): Promise<void> }

/**
 * Takes the lock file at a path, which keeps other processes from the same work; waits while another one holds it. The
 * lock of a process that has ended, or one that stays the same for ten seconds, is taken over.
 *
 * @throws the disk's error where no lock file can be made, or the reason of `abort`
 */
export const takeLockFile = async (path: string, abort: AbortSignal): Promise<LockFile> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const own = [process.pid, hostname(), randomUUID()].join('\n')
  const isHeld = async () => (await holderOf(path)) === own
  let seen: string | null = null
  let since = 0
  while (!(await create(path, own))) {
    const holder = await holderOf(path)
    if (holder !== seen) [seen, since] = [holder, performance.now()]
    if (holder !== null && (isDead(holder) || performance.now() - since > STALE_AFTER_MS)) {
      await removeStale(path, holder, abort)
    } else {
      abort.throwIfAborted()
      await setTimeout(LOOK_AGAIN_MS * (1 + Math.random()))
    }
  }
  const release = async () => {
    if (await isHeld()) await rm(path, { force: true })
  }
  return { isHeld, release }
}
