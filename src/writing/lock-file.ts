/** Lock files, with which writers in several processes take turns. */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { safe } from '../safe.ts'
import { retryWhileHeld } from './retry-while-held.ts'

// Work under a lock takes milliseconds. A waiter measures how long it sees the same lock, because file times may be
// wrong.
const STALE_AFTER_MS = 10_000

// A lock is written right after it is created. If it stays empty, its process was killed in between.
const EMPTY_AFTER_MS = 500

const LOOK_AGAIN_MS = 5

const codeOf = (thrown: unknown): unknown => Object(thrown).code

/** Creates the lock file with its holder; returns whether it did. */
const createLockFile = async (path: string, holder: string): Promise<boolean> => {
  try {
    await writeFile(path, holder, { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    // A full disk may leave only a part of the text.
    if (holder.startsWith(await holderOf(path) ?? '\0')) await rm(path, { force: true })
    throw thrown
  }
}

const holderOf = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  })

/** Returns when a process started, because ids are reused, in the system's unit; empty if unknown. */
const startTimeOf = (pid: string): string => {
  // The second field is a name in parentheses that may contain spaces; the third is the state, the 22nd the start time.
  const fields = safe(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).data?.split(') ').at(-1)?.split(' ')
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19] ?? ''
}

const OWN_START = startTimeOf(String(process.pid))

/** Whether the process that holds a lock is known to have ended. */
const hasEnded = (holder: string): boolean => {
  const [pid = '', start] = holder.split('\n')
  if (pid === '') return false
  try {
    process.kill(Number(pid), 0)
    return startTimeOf(pid) !== start
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH'
  }
}

/** Removes a lock if it still has this holder. Synchronous: in between, another process could take it over. */
const removeIfHeldBy = async (path: string, holder: string): Promise<void> => {
  if (safe(() => readFileSync(path, 'utf8')).data === holder) rmSync(path, { force: true })
}

/** A lock held by this process. `isHeld` is false once another process took it over. */
type LockFile = { isHeld(): Promise<boolean>; release(): Promise<void> }

/**
 * Acquires the lock file at a path; waits while another process holds it. Takes over the lock of an ended process at
 * once, and any other after ten seconds without a change.
 *
 * @throws the disk's error if no lock file can be created, or the reason of `abort`
 */
export const acquireLockFile = async (path: string, abort: AbortSignal): Promise<LockFile> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const own = [process.pid, OWN_START, randomUUID()].join('\n')
  const isHeld = async () => (await holderOf(path)) === own
  let lastHolder: string | null = null
  let since = 0
  // Windows refuses the name of a file that was removed while another process read it.
  while (!(await retryWhileHeld(() => createLockFile(path, own)))) {
    const holder = await retryWhileHeld(() => holderOf(path))
    if (holder !== lastHolder) [lastHolder, since] = [holder, performance.now()]
    const waited = performance.now() - since
    const isStale = waited > (holder === '' ? EMPTY_AFTER_MS : STALE_AFTER_MS)
    if (holder !== null && (isStale || hasEnded(holder))) {
      await retryWhileHeld(() => removeIfHeldBy(path, holder))
    } else {
      abort.throwIfAborted()
      await setTimeout(LOOK_AGAIN_MS * (1 + Math.random()))
    }
  }
  return { isHeld, release: () => retryWhileHeld(() => removeIfHeldBy(path, own)) }
}
