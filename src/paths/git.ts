/** Runs git within limits of time and output, and asks it which paths it ignores. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFile } from 'node:child_process'
import { withTimeout } from '../safe.ts'

// Without the first option, git would run the program that a repository's config names as `core.fsmonitor`.
// `GIT_NO_LAZY_FETCH` keeps git off the network.
const OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false']
const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }

const MAX_MS = 2_000
const PAUSE_MS = 60_000
const MAX_OUTPUT = 20_000_000

/** `isComplete` is false if git failed, exceeded a limit of time or output, or was not started. */
type GitAnswer = { text: string; isComplete: boolean }

type TimeLeft = { ms: number }

const timeLeftOfCall = new AsyncLocalStorage<TimeLeft>()

/** Runs `call`. All its git runs share a time limit of two seconds. */
export const withGitTime = <T>(call: () => T): T => timeLeftOfCall.run({ ms: MAX_MS }, call)

const runGit = (folder: string, args: Array<string>, input: string, timeout: number): Promise<GitAnswer> =>
  new Promise((resolve) => {
    const child = execFile('git', [...OPTIONS, ...args], {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT },
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT,
      // `check-ignore` exits with 1 if no path is ignored.
    }, (error, text) => resolve({ text, isComplete: error === null || error.code === 1 }))
    // Git may exit before it reads all of its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

let lastOverrunAt = -Infinity
let pausedUntil = 0

const recordRun = (timeLeft: TimeLeft, deadline: number): void => {
  const isRecordedByParallelRun = timeLeft.ms <= 0
  if (isRecordedByParallelRun) return
  const now = performance.now()
  // Parallel runs overlap, so only the slowest run counts.
  timeLeft.ms = Math.min(timeLeft.ms, deadline - now)
  if (timeLeft.ms > 0) return
  if (now - lastOverrunAt < PAUSE_MS) pausedUntil = now + PAUSE_MS
  lastOverrunAt = now
}

/** Runs git within the time that `withGitTime` has left. Without `withGitTime`, the limit is two seconds. Never rejects. */
export const askGit = async (folder: string, args: Array<string>, input = ''): Promise<GitAnswer> => {
  const timeLeft = timeLeftOfCall.getStore() ?? { ms: MAX_MS }
  const { ms } = timeLeft
  const start = performance.now()
  if (ms <= 0 || start < pausedUntil) return { text: '', isComplete: false }
  // The timeout of `execFile` ends only git. A child of git may keep the output open, and `execFile` waits for it.
  const { data } = await withTimeout(ms, runGit(folder, args, input, Math.ceil(ms)))
  recordRun(timeLeft, start + ms)
  return data ?? { text: '', isComplete: false }
}

/** Returns the ignored paths, or null if git fails. In `paths`, the path of a folder must end in `/`. */
export const ignoredByGit = async (folder: string, paths: Array<string>): Promise<Set<string> | null> => {
  if (paths.length === 0) return new Set()
  const input = paths.map((path) => `${path}\0`).join('')
  const answer = await askGit(folder, ['check-ignore', '-z', '--stdin'], input)
  return answer.isComplete ? new Set(answer.text.split('\0').slice(0, -1)) : null
}
