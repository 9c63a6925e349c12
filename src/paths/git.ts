/** Runs git within limits of time and output, and asks it which paths it ignores. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFile } from 'node:child_process'
import { withTimeout } from '../safe.ts'

// A repository may name a program as `core.fsmonitor`, so that is off. `GIT_NO_LAZY_FETCH` keeps git off the network.
const OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false']
const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }

const MAX_MS = 2_000
const PAUSE_MS = 60_000
const MAX_OUTPUT = 20_000_000

/** `isComplete` is false if git failed, exceeded a limit of time or output, or was not started. */
type GitAnswer = { text: string; isComplete: boolean }

const remainingOfCall = new AsyncLocalStorage<{ ms: number }>()

// If git uses up the time of two calls within a minute, it is not started for the next minute.
let lastOverrunAt = -Infinity
let pausedUntil = 0

/** Runs a tool call. All runs of git in it have two seconds together. */
export const withGitTime = <T>(call: () => T): T => remainingOfCall.run({ ms: MAX_MS }, call)

const runGit = (folder: string, args: Array<string>, input: string, timeout: number): Promise<GitAnswer> =>
  new Promise((resolve) => {
    const child = execFile('git', [...OPTIONS, ...args], {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT },
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT,
      // The exit code 1 counts as complete: `check-ignore` uses it to say that no path is ignored.
    }, (error, text) => resolve({ text, isComplete: error === null || error.code === 1 }))
    // Git may exit before it reads all of its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/** Records that a run of git has ended, which may use up the time of its tool call. */
const recordRun = (remaining: { ms: number }, deadline: number): void => {
  // A parallel run has used up the time, and has recorded that.
  if (remaining.ms <= 0) return
  const now = performance.now()
  // Parallel runs overlap, so the slowest one determines what remains.
  remaining.ms = Math.min(remaining.ms, deadline - now)
  if (remaining.ms > 0) return
  if (now - lastOverrunAt < PAUSE_MS) pausedUntil = now + PAUSE_MS
  lastOverrunAt = now
}

/** Runs git in a folder, within the time that the current tool call has left. Never rejects. */
export const askGit = async (folder: string, args: Array<string>, input = ''): Promise<GitAnswer> => {
  const remaining = remainingOfCall.getStore() ?? { ms: MAX_MS }
  const { ms } = remaining
  const start = performance.now()
  if (ms <= 0 || start < pausedUntil) return { text: '', isComplete: false }
  // The timeout of `execFile` is not enough: a child of git may keep the output open after git exits.
  const { data } = await withTimeout(ms, runGit(folder, args, input, Math.ceil(ms)))
  recordRun(remaining, start + ms)
  return data ?? { text: '', isComplete: false }
}

/** Returns the paths, relative to `folder`, that git ignores; null if git cannot tell. A folder's path ends in `/`. */
export const ignoredByGit = async (folder: string, paths: Array<string>): Promise<Set<string> | null> => {
  if (paths.length === 0) return new Set()
  const input = paths.map((path) => `${path}\0`).join('')
  const answer = await askGit(folder, ['check-ignore', '-z', '--stdin'], input)
  return answer.isComplete ? new Set(answer.text.split('\0').slice(0, -1)) : null
}
