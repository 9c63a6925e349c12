import { type ChildProcess, spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { type Place, projectRoot, upwards } from '../../paths/boundary.ts'
import { reasonOf } from '../../safe.ts'
import type { FormatCommand } from './choose-command.ts'

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

/** Ends a child's group at the time limit or when it is aborted: with SIGTERM, and after a while with SIGKILL. */
const limitTime = (child: ChildProcess, limit: number, signal: AbortSignal | undefined) => {
  const state = { isOver: false }
  let killer: NodeJS.Timeout | undefined
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = () => {
    if (hasEnded()) return
    signalGroup(child, 'SIGTERM')
    killer = setTimeout(() => hasEnded() || signalGroup(child, 'SIGKILL'), GRACE_MS)
  }
  // A busy host learns that a child has ended only after its timers ran.
  const timer = setTimeout(() =>
    setImmediate(() => {
      state.isOver = !hasEnded()
      end()
    }), limit)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const callOff = () => {
    clearTimeout(timer)
    clearTimeout(killer)
    signal?.removeEventListener('abort', end)
  }
  return { state, callOff }
}

const ranOf = (
  { ok }: FormatCommand,
  code: number | null,
  signal: NodeJS.Signals | null,
  overLimit: number | null,
): Omit<Ran, 'output'> => {
  if (overLimit !== null) return { kind: 'killed', status: `timed out after ${overLimit / 1_000} s` }
  if (code === null) return { kind: 'killed', status: `was ended by ${signal}` }
  if (code === NOT_FOUND && ok !== 'any') return { kind: 'missing', status: 'was not found' }
  const isOk = ok === 'any' || ok.includes(code)
  return { kind: isOk ? 'ok' : 'failed', status: `failed (status ${code})` }
}

/**
 * Runs a formatter in the session's folder, without input, in a process group of its own. Beyond the time limit, in
 * milliseconds, the whole group is ended.
 */
export const runFormatter = (run: Run): Promise<Ran> =>
  new Promise((resolve) => {
    const { command, limit = TIME_LIMIT_MS, signal } = run
    const child = start(run)
    let output = ''
    const read = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT))
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    const time = limitTime(child, limit, signal)
    const settle = (ran: Omit<Ran, 'output'>) => {
      time.callOff()
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve({ ...ran, output: output.trim() })
    }
    child.once('error', (thrown) => {
      const isMissing = Object(thrown).code === 'ENOENT'
      const status = isMissing ? 'was not found' : `did not start: ${reasonOf(thrown)}`
      settle({ kind: isMissing ? 'missing' : 'killed', status })
    })
    child.once('exit', (code, ended) => {
      time.callOff()
      const ran = ranOf(command, code, ended, time.state.isOver ? limit : null)
      // Processes that a failed formatter left running must not write to the restored file.
      if (ran.kind !== 'ok') signalGroup(child, 'SIGKILL')
      // A daemon that the formatter started may hold its output open forever.
      const drained = setTimeout(settle, DRAIN_MS, ran)
      child.once('close', () => {
        clearTimeout(drained)
        settle(ran)
      })
    })
  })
