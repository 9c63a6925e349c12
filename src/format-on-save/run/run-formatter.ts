import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { type Place, projectRoot, upwards } from '../../paths/boundary.ts'
import { reasonOf, within } from '../../safe.ts'
import type { FormatCommand } from './format-command.ts'

/** A formatter has this long for one file or one project. */
export const TIME_LIMIT_MS = 30_000

const GRACE_MS = 2_000
const DRAIN_MS = 200
const MAX_OUTPUT = 16_000

/** A shell's exit code where there is no such program. */
const NOT_FOUND = 127

/**
 * How a run ended: `failed` by itself with an error, `killed` by a signal, the time limit or because it could not start.
 * `output` is what it printed; `status` says it in words.
 */
export type Ran = { kind: 'ok' | 'failed' | 'killed' | 'missing'; status: string; output: string }

export type Run = { command: FormatCommand; path: string; place: Place; limit?: number; signal?: AbortSignal }

/** Signals a child's whole group. */
const signalGroup = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (!pid) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Puts the programs that the project installed first: `node_modules/.bin` from the file's folder up. */
const searchPath = (path: string, place: Place): string => {
  const folders = upwards(dirname(path), projectRoot(place)).map((folder) =>
    join(folder, 'node_modules', '.bin')
  )
  return [...folders, process.env['PATH'] ?? ''].join(delimiter)
}

const start = ({ command: { script, environment }, path, place }: Run): ChildProcess => {
  const options = {
    cwd: place.directory,
    env: { ...process.env, PATH: searchPath(path, place), ...environment, FILE: path },
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  }
  if (typeof script !== 'string') {
    const [program = '', ...given] = script.map((word) => word.replace('$FILE', () => path))
    return spawn(program, given, options)
  }
  if (process.platform !== 'win32') return spawn('sh', ['-c', script], options)
  return spawn(script.replaceAll('$FILE', '%FILE%'), { ...options, shell: true })
}

/**
 * Ends a child's group at the time limit or when it is aborted: with SIGTERM, and after a while with SIGKILL.
 *
 * @returns `stop`, to be called when the child has ended: gives whether that took longer than the limit
 */
const limitTime = (child: ChildProcess, { limit = TIME_LIMIT_MS, signal }: Run) => {
  let isOver = false
  let killer: NodeJS.Timeout | undefined
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = () => {
    if (hasEnded()) return
    signalGroup(child, 'SIGTERM')
    killer = setTimeout(signalGroup, GRACE_MS, child, 'SIGKILL')
  }
  // A busy host learns that a child has ended only after its timers ran.
  const timer = setTimeout(() =>
    setImmediate(() => {
      isOver = !hasEnded()
      end()
    }), limit)
  signal?.addEventListener('abort', end)
  return (): boolean => {
    clearTimeout(timer)
    clearTimeout(killer)
    return isOver
  }
}

const ranOf = (
  { ok }: FormatCommand,
  code: number | null,
  signal: NodeJS.Signals | null,
): Omit<Ran, 'output'> => {
  if (code === null) return { kind: 'killed', status: `was ended by ${signal}` }
  if (code === NOT_FOUND && ok !== 'any') return { kind: 'missing', status: 'was not found' }
  const isOk = ok === 'any' || ok.includes(code)
  return { kind: isOk ? 'ok' : 'failed', status: `failed (status ${code})` }
}

/** Waits for the end of a child, and of what it started if that failed. */
const endOf = async (child: ChildProcess, run: Run): Promise<Omit<Ran, 'output'>> => {
  const stop = limitTime(child, run)
  const closed = new Promise((resolve) => child.once('close', resolve))
  try {
    const [code, signal] = await once(child, 'exit') as [number | null, NodeJS.Signals | null]
    const { limit = TIME_LIMIT_MS } = run
    const ran = stop()
      ? { kind: 'killed' as const, status: `timed out after ${limit / 1_000} s` }
      : ranOf(run.command, code, signal)
    // Processes that a failed formatter left running must not write to the restored file.
    if (ran.kind !== 'ok') signalGroup(child, 'SIGKILL')
    // A daemon that the formatter started may hold its output open forever.
    await within(DRAIN_MS, closed)
    return ran
  } catch (thrown) {
    stop()
    const isMissing = Object(thrown).code === 'ENOENT'
    const status = isMissing ? 'was not found' : `did not start: ${reasonOf(thrown)}`
    return { kind: isMissing ? 'missing' : 'killed', status }
  }
}

/**
 * Runs a formatter in the session's folder, without input, in a process group of its own. Beyond the time limit, in
 * milliseconds, the whole group is ended.
 */
export const runFormatter = async (run: Run): Promise<Ran> => {
  const child = start(run)
  let output = ''
  const outputs = [child.stdout, child.stderr]
  for (const stream of outputs) {
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT)))
  }
  const ran = await endOf(child, run)
  for (const stream of outputs) stream?.destroy()
  return { ...ran, output: output.trim() }
}
