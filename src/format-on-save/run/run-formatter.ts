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

/** How a child ended: its exit code or the signal, and whether it took longer than the limit. */
type Exit = { code: number | null; signal: NodeJS.Signals | null; isOver: boolean }

/** Waits for a child's end. At the limit, or when it is aborted, its group gets SIGTERM, and after a while SIGKILL. */
const exitOf = async (child: ChildProcess, limit: number, abort: AbortSignal | undefined): Promise<Exit> => {
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
  abort?.addEventListener('abort', end)
  try {
    const [code, signal] = await once(child, 'exit')
    return { code, signal, isOver }
  } finally {
    clearTimeout(timer)
    clearTimeout(killer)
  }
}

type Ended = Omit<Ran, 'output'>

const endedOf = ({ ok }: FormatCommand, { code, signal, isOver }: Exit, limit: number): Ended => {
  if (isOver) return { kind: 'killed', status: `timed out after ${limit / 1_000} s` }
  if (code === null) return { kind: 'killed', status: `was ended by ${signal}` }
  if (code === NOT_FOUND && ok !== 'any') return { kind: 'missing', status: 'was not found' }
  const isOk = ok === 'any' || ok.includes(code)
  return { kind: isOk ? 'ok' : 'failed', status: `failed (status ${code})` }
}

const notStarted = (thrown: unknown): Ended =>
  Object(thrown).code === 'ENOENT'
    ? { kind: 'missing', status: 'was not found' }
    : { kind: 'killed', status: `did not start: ${reasonOf(thrown)}` }

/**
 * Runs a formatter in the session's folder, without input, in a process group of its own. Beyond the time limit, in
 * milliseconds, the whole group is ended.
 */
export const runFormatter = async (run: Run): Promise<Ran> => {
  const { command, limit = TIME_LIMIT_MS, signal } = run
  const child = start(run)
  const closed = new Promise((resolve) => child.once('close', resolve))
  const outputs = [child.stdout, child.stderr]
  let output = ''
  for (const stream of outputs) {
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT)))
  }
  const ended = await exitOf(child, limit, signal).then((exit) => endedOf(command, exit, limit), notStarted)
  // Processes that a failed formatter left running must not write to the restored file.
  if (ended.kind !== 'ok') signalGroup(child, 'SIGKILL')
  // A daemon that the formatter started may hold its output open forever.
  await within(DRAIN_MS, closed)
  for (const stream of outputs) stream?.destroy()
  return { ...ended, output: output.trim() }
}
