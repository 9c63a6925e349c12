/** Runs a format command on a file, within a time limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { foldersUpTo, projectRoot, type Workspace } from '../../paths/boundary.ts'
import { reasonOf, withTimeout } from '../../safe.ts'
import { markHidden } from '../../text/hidden-characters.ts'
import type { FormatCommand } from './format-command.ts'

// The time between SIGTERM and SIGKILL.
const GRACE_MS = 2_000
// How long the end of the output is awaited after the formatter has exited.
const DRAIN_MS = 200
/** Only this many characters at the end of each stream are kept. */
export const MAX_OUTPUT = 16_000
/** A shell's exit code for a missing program. */
export const NOT_FOUND = 127

/** How a run ended. */
type Ended = {
  /**
   * `failed`: the command exited with an error. `killed`: a signal or the time limit ended it, or it could not start.
   * `missing`: there is no such program.
   */
  kind: 'ok' | 'failed' | 'killed' | 'missing'
  /** The kind in words, as they follow "A formatter …" in a message; empty for `ok`. */
  status: string
  /** The exit code of a run that failed. */
  code?: number | undefined
}

/** How a run ended, and the end of its output. */
export type RunResult = Ended & { output: string }

/** How a command failed on a file. */
export type Failure = RunResult & {
  command: string
  /** Whether the file's text changed. */
  hasWritten: boolean
  /** Set if the host ran the command. */
  byHost?: true
}

/** A command to run on a file; `limit` is in milliseconds. */
type Run = {
  command: FormatCommand
  path: string
  workspace: Workspace
  limit: number
  signal?: AbortSignal
}

/** Removes colours from a formatter's output, and marks hidden characters, which a model must not read as text. */
export const plainOutput = (output: string): string => markHidden(stripVTControlCharacters(output)).trim()

/** Sends a signal to a child's process group. On Windows, which has none, ends the child and all that it started. */
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

/** Returns a `PATH` in which the project's own programs come first: `node_modules/.bin`, from the file's folder up. */
const searchPath = (path: string, workspace: Workspace): string => {
  const folders = foldersUpTo(dirname(path), projectRoot(workspace))
  const programFolders = folders.map((folder) => join(folder, 'node_modules', '.bin'))
  return [...programFolders, process.env['PATH'] ?? ''].join(delimiter)
}

/** Returns how to start a command. On Windows, only a shell can start the programs that npm installs. */
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

const start = ({ command: { script, environment }, path, workspace }: Run): ChildProcess => {
  const { program, args, shell } = programOf(script, path, process.platform)
  return spawn(program, args, {
    cwd: workspace.directory,
    env: { ...process.env, PATH: searchPath(path, workspace), ...environment, FILE: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    shell,
  })
}

const OK: Ended = { kind: 'ok', status: '' }
const MISSING: Ended = { kind: 'missing', status: 'was not found' }

const killed = (status: string): Ended => ({ kind: 'killed', status })

/** Waits until a child exits. After the limit or an abort, sends SIGTERM to its group, and SIGKILL a little later. */
const waitForExit = async (
  child: ChildProcess,
  { command: { ok }, limit, signal: abort }: Run,
): Promise<Ended> => {
  let isTimedOut = false
  let killer: NodeJS.Timeout | undefined
  const terminate = () => {
    signalGroup(child, 'SIGTERM')
    killer ??= setTimeout(signalGroup, GRACE_MS, child, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    terminate()
  }, limit)
  abort?.addEventListener('abort', terminate)
  try {
    const [code, signal] = await once(child, 'exit')
    if (isTimedOut) return killed(`timed out after ${limit / 1_000} s`)
    if (code === null) return killed(`was ended by ${signal}`)
    if (ok === 'any') return OK
    if (code === NOT_FOUND) return MISSING
    return ok.includes(code) ? OK : { kind: 'failed', status: `failed (status ${code})`, code }
  } catch (thrown) {
    return Object(thrown).code === 'ENOENT' ? MISSING : killed(`did not start: ${reasonOf(thrown)}`)
  } finally {
    abort?.removeEventListener('abort', terminate)
    clearTimeout(timer)
    clearTimeout(killer)
  }
}

/** Runs a formatter in the session's folder, without input, in a process group of its own. */
export const runFormatter = async (run: Run): Promise<RunResult> => {
  const child = start(run)
  const closed = new Promise((resolve) => child.once('close', resolve))
  // In which order the two streams were written is unknown, so the errors come first.
  const outputs = [child.stderr, child.stdout].map((stream) => ({ stream, text: '' }))
  for (const output of outputs) {
    output.stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output.text = (output.text + chunk).slice(-MAX_OUTPUT)
    })
  }
  const ended = await waitForExit(child, run)
  // Processes that a failed formatter leaves running must not write to the restored file.
  if (ended.kind !== 'ok') signalGroup(child, 'SIGKILL')
  // A daemon that the formatter started may keep the output open forever.
  await withTimeout(DRAIN_MS, closed)
  for (const { stream } of outputs) stream?.destroy()
  return { ...ended, output: plainOutput(outputs.map(({ text }) => text).join('\n')) }
}
