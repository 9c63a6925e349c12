/** Lock files, with which writers in several processes take turns. */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { safe } from '../safe.ts'
import { retryWhileInUse } from './retry-while-in-use.ts'

const POLL_MS = 5

const codeOf = (thrown: unknown): unknown => Object(thrown).code

/** A lock file has three lines: process id, start time and a random id. */
const holderOf = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  })

const createLockFile = async (path: string, holder: string): Promise<boolean> => {
  try {
    await writeFile(path, holder, { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    // On a full disk, this call may have left an empty or incomplete file.
    const textLeft = await holderOf(path)
    if (textLeft !== null && holder.startsWith(textLeft)) await rm(path, { force: true })
    throw thrown
  }
}

const startTimeOf = (pid: string): string => {
  // After the name in `4711 (bun) S 1 …`, field 0 is the state (`Z` for a zombie) and field 19 is the start time.
  const stat = safe(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).data
  const fields = stat?.split(') ').at(-1)?.split(' ')
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19] ?? ''
}

const OWN_START = startTimeOf(String(process.pid))

const hasEnded = (holder: string): boolean => {
  const [pid = '', start] = holder.split('\n')
  if (pid === '') return false
  try {
    // Signal 0 only tests whether the owner of the lock, or a later process with the same id, exists.
    process.kill(Number(pid), 0)
    return startTimeOf(pid) !== start
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH'
  }
}

/** `seenMs` counts from when this process first saw the holder, because the file's own time may be wrong. */
const isAbandoned = (holder: string, seenMs: number): boolean =>
  // Work under a lock takes milliseconds, so a holder that stays for seconds is stuck.
  holder === '' ? seenMs > 500 : hasEnded(holder) || seenMs > 10_000

const removeIfHeldBy = async (path: string, holder: string): Promise<void> => {
  // Synchronous, so that hardly any process can take over the lock between the check and the removal.
  if (safe(() => readFileSync(path, 'utf8')).data === holder) rmSync(path, { force: true })
}

/** Waits for the lock. Throws the disk's error, or the reason of `abort`. */
export const acquireLockFile = async (path: string, abort: AbortSignal) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const ownHolder = [process.pid, OWN_START, randomUUID()].join('\n')
  let seen: { holder: string | null; since: number } = { holder: null, since: 0 }
  // While another process still reads a removed file, Windows refuses to create a file with the same name.
  while (!(await retryWhileInUse(() => createLockFile(path, ownHolder)))) {
    const holder = await retryWhileInUse(() => holderOf(path))
    if (holder !== seen.holder) seen = { holder, since: performance.now() }
    if (holder !== null && isAbandoned(holder, performance.now() - seen.since)) {
      await retryWhileInUse(() => removeIfHeldBy(path, holder))
      continue
    }
    abort.throwIfAborted()
    await setTimeout(POLL_MS * (1 + Math.random()))
  }
  return {
    isHeld: async () => (await holderOf(path)) === ownHolder,
    release: () => retryWhileInUse(() => removeIfHeldBy(path, ownHolder)),
  }
}
