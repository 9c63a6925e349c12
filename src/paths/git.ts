/** Asks git about a project: which files it has, and which of them it ignores. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFile } from 'node:child_process'
import { within } from '../safe.ts'

// A status hook of the repository's own config is a program, and a missing object may be fetched from the network.
const OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false']
const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }

const MAX_MS = 2_000
const PAUSE_MS = 60_000
const MAX_OUTPUT = 20_000_000

/** What git wrote; `isWhole` is false where it failed, is not installed, or was ended at the limit of time or size. */
export type GitAnswer = { text: string; isWhole: boolean }

/** How many milliseconds git still has for what one call asks it. */
type GitTime = { left: number }

const timeOfCall = new AsyncLocalStorage<GitTime>()
/** When git last used up a call's time, and until when it is not asked since it did so twice within a minute. */
const late = { at: -PAUSE_MS, pausedUntil: 0 }

/** Runs a call of a tool, for which git has two seconds in all. */
export const withGitTime = <T>(call: () => T): T => timeOfCall.run({ left: MAX_MS }, call)

const runGit = (folder: string, args: Array<string>, input: string, timeout: number): Promise<GitAnswer> =>
  new Promise((resolve) => {
    const child = execFile('git', [...OPTIONS, ...args], {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT },
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT,
    }, (error, text) => resolve({ text, isWhole: error === null || error.code === 1 }))
    // Git may end before it has read all of its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/** Runs git in a folder, for at most what its call has left of two seconds; never rejects. */
export const askGit = async (folder: string, args: Array<string>, input = ''): Promise<GitAnswer> => {
  const time = timeOfCall.getStore() ?? { left: MAX_MS }
  const { left } = time
  const start = performance.now()
  if (left <= 0 || start < late.pausedUntil) return { text: '', isWhole: false }
  // What git itself started may hold its output open after its end.
  const { data } = await within(left, runGit(folder, args, input, Math.ceil(left)))
  const now = performance.now()
  const isFirstLate = time.left > 0 && now - start >= left
  // Answers that were asked for at once have taken the time of the slowest.
  time.left = Math.min(time.left, left - (now - start))
  if (isFirstLate && now - late.at < PAUSE_MS) late.pausedUntil = now + PAUSE_MS
  if (isFirstLate) late.at = now
  return data ?? { text: '', isWhole: false }
}

/**
 * Finds which paths git ignores, in one call; gives null where git cannot tell: there is no repository, no git, or no
 * answer in time.
 *
 * @param folder a folder of the worktree, to which the paths are relative; one with `/` at its end is a folder's
 */
export const ignoredByGit = async (folder: string, paths: Array<string>): Promise<Set<string> | null> => {
  if (paths.length === 0) return new Set()
  const answer = await askGit(
    folder,
    ['check-ignore', '-z', '--stdin'],
    paths.map((path) => `${path}\0`).join(''),
  )
  return answer.isWhole ? new Set(answer.text.split('\0').slice(0, -1)) : null
}
