/** Lock files, with which writers in several processes take turns. */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { safe } from '../safe.ts'
import { retryWhileHeld } from './retry-while-held.ts'

// Work under a lock takes milliseconds. A waiter measures itself how long a holder stays: file times may be wrong.
const STALE_AFTER_MS = 10_000
// If a lock stays empty, its process was killed right after it had created the file.
const EMPTY_AFTER_MS = 500
const POLL_MS = 5

const codeOf = (thrown: unknown): unknown => Object(thrown).code

/** Returns a lock file's text: its process's id and start time, and its call's id, a line each; null if missing. */
const holderOf = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  })

/** Creates a lock file; returns false if the file exists. */
const createLockFile = async (path: string, holder: string): Promise<boolean> => {
  try {
    await writeFile(path, holder, { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    // On a full disk, this call may have left a lock file that is empty or has only a part of `holder`.
    const textLeft = await holderOf(path)
    if (textLeft !== null && holder.startsWith(textLeft)) await rm(path, { force: true })
    throw thrown
  }
}

/** Returns the start time of a process; `''` if unknown, `ended` if the process has ended, but is still listed. */
const startTimeOf = (pid: string): string => {
  // After the name in parentheses come the state (`Z`: has ended) and, at index 19, the start time.
  const stat = safe(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).data
  const fields = stat?.split(') ').at(-1)?.split(' ')
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19] ?? ''
}

const OWN_START = startTimeOf(String(process.pid))

/** Whether the process of a lock's holder has certainly ended. A later process with its id has another start time. */
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

const removeIfHeldBy = async (path: string, holder: string): Promise<void> => {
  // Synchronous, so that hardly anybody can take the lock over between the check and the removal.
  if (safe(() => readFileSync(path, 'utf8')).data === holder) rmSync(path, { force: true })
}

/**
 * Waits for the lock file at a path. Takes over the lock of an ended process at once, an empty one after half a second,
 * and any other after ten seconds with the same holder. Throws the disk's error, or the reason of `abort`.
 */
export const acquireLockFile = async (path: string, abort: AbortSignal) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const ownHolder = [process.pid, OWN_START, randomUUID()].join('\n')
  let previousHolder: string | null = null
  let firstSeenAt = 0
  // While another process still reads a removed file, Windows refuses to create one with its name.
  while (!(await retryWhileHeld(() => createLockFile(path, ownHolder)))) {
    const holder = await retryWhileHeld(() => holderOf(path))
    if (holder !== previousHolder) [previousHolder, firstSeenAt] = [holder, performance.now()]
    const isStale = performance.now() - firstSeenAt > (holder === '' ? EMPTY_AFTER_MS : STALE_AFTER_MS)
    if (holder !== null && (isStale || hasEnded(holder))) {
      await retryWhileHeld(() => removeIfHeldBy(path, holder))
    } else {
      abort.throwIfAborted()
      await setTimeout(POLL_MS * (1 + Math.random()))
    }
  }
  return {
    isHeld: async () => (await holderOf(path)) === ownHolder,
    release: () => retryWhileHeld(() => removeIfHeldBy(path, ownHolder)),
  }
}
