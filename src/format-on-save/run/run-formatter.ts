import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { foldersUpTo, projectRoot, type Workspace } from '../../paths/boundary.ts'
import { reasonOf, withTimeout } from '../../safe.ts'
import { markHidden } from '../../text/hidden-characters.ts'
import type { FormatCommand } from './format-command.ts'

const GRACE_MS = 2_000
const DRAIN_MS = 200
const MAX_OUTPUT = 16_000

/** A shell's exit code where there is no such program. */
export const NOT_FOUND = 127

/**
 * How a run ended: `failed` by itself with an error, `killed` by a signal, the time limit or because it could not start.
 * `output` is what it printed; `status` says it in words, `code` is the exit code of one that failed.
 */
export type Ran = {
  kind: 'ok' | 'failed' | 'killed' | 'missing'
  status: string
  code?: number | undefined
  output: string
}

/**
 * How a command failed on a file, and whether there is no such program; `byHost` where the host ran it, `hasWritten` where
 * the file has another text since.
 */
export type Failure = Omit<Ran, 'kind'> & {
  command: string
  isMissing: boolean
  hasWritten: boolean
  byHost?: true
}

/** One run; `limit` is in milliseconds. */
export type Run = {
  command: FormatCommand
  path: string
  place: Workspace
  limit: number
  signal?: AbortSignal
}

/**
 * Gives what a formatter printed without its colours, which the person's environment may ask for in a pipe, too. What is
 * hidden in it a model must not read as words.
 */
export const plainOutput = (output: string): string => markHidden(stripVTControlCharacters(output)).trim()

/** Signals a child's whole group; Windows has no groups, and ends a child with all that it started. */
const signalGroup = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (!pid) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => {})
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Puts the programs that the project installed first: `node_modules/.bin` from the file's folder up. */
const searchPath = (path: string, place: Workspace): string => {
  const folders = foldersUpTo(dirname(path), projectRoot(place)).map((folder) =>
    join(folder, 'node_modules', '.bin')
  )
  return [...folders, process.env['PATH'] ?? ''].join(delimiter)
}

/**
 * Gives the program of a command and its arguments. On Windows the shell runs it: programs that npm installs are scripts
 * there, which nothing else starts.
 */
export const programOf = (
  script: FormatCommand['script'],
  path: string,
  platform: NodeJS.Platform,
): { program: string; args: Array<string>; shell: boolean } => {
  if (platform === 'win32') {
    const line = typeof script === 'string' ? script : script.map((word) => `"${word}"`).join(' ')
    return { program: line.replaceAll('$FILE', '%FILE%'), args: [], shell: true }
  }
  const [program = '', ...args] = typeof script === 'string'
    ? ['sh', '-c', script]
    : script.map((word) => word.replace('$FILE', () => path))
  return { program, args, shell: false }
}

const start = ({ command: { script, environment }, path, place }: Run): ChildProcess => {
  const { program, args, shell } = programOf(script, path, process.platform)
  const options = {
    cwd: place.directory,
    env: { ...process.env, PATH: searchPath(path, place), ...environment, FILE: path },
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    shell,
  }
  return spawn(program, args, options)
}

type Ended = Omit<Ran, 'output'>

const MISSING: Ended = { kind: 'missing', status: 'was not found' }

const killed = (status: string): Ended => ({ kind: 'killed', status })

/** Waits for a child's end. At the limit, or when it is aborted, its group gets SIGTERM, and after a while SIGKILL. */
const endOf = async (child: ChildProcess, { command: { ok }, limit, signal: abort }: Run): Promise<Ended> => {
  let isOver = false
  let killer: NodeJS.Timeout | undefined
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = () => {
    if (hasEnded()) return
    signalGroup(child, 'SIGTERM')
    killer = setTimeout(signalGroup, GRACE_MS, child, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isOver = true
    end()
  }, limit)
  abort?.addEventListener('abort', end)
  try {
    const [code, signal] = await once(child, 'exit')
    if (isOver) return killed(`timed out after ${limit / 1_000} s`)
    if (code === null) return killed(`was ended by ${signal}`)
    if (ok === 'any') return { kind: 'ok', status: '' }
    if (code === NOT_FOUND) return MISSING
    return ok.includes(code)
      ? { kind: 'ok', status: '' }
      : { kind: 'failed', status: `failed (status ${code})`, code }
  } catch (thrown) {
    return Object(thrown).code === 'ENOENT' ? MISSING : killed(`did not start: ${reasonOf(thrown)}`)
  } finally {
    clearTimeout(timer)
    clearTimeout(killer)
  }
}

/**
 * Runs a formatter in the session's folder, without input, in a process group of its own. Beyond the time limit the
 * whole group is ended.
 */
export const runFormatter = async (run: Run): Promise<Ran> => {
  const child = start(run)
  const closed = new Promise((resolve) => child.once('close', resolve))
  // Nothing orders what comes through two pipes: the errors come first.
  const outputs = [child.stderr, child.stdout].map((stream) => ({ stream, text: '' }))
  for (const output of outputs) {
    output.stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output.text = (output.text + chunk).slice(-MAX_OUTPUT)
    })
  }
  const ended = await endOf(child, run)
  // Processes that a failed formatter left running must not write to the restored file.
  if (ended.kind !== 'ok') signalGroup(child, 'SIGKILL')
  // A daemon that the formatter started may hold its output open forever.
  await withTimeout(DRAIN_MS, closed)
  for (const { stream } of outputs) stream?.destroy()
  return { ...ended, output: plainOutput(outputs.map(({ text }) => text).join('\n')) }
}
