/** Runs a format command on a file, within a time limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { foldersUpTo, projectRoot, type Workspace } from '../../paths/boundary.ts'
import { reasonOf, safe, withTimeout } from '../../safe.ts'
import { markHidden } from '../../text/hidden-characters.ts'
import type { FormatCommand } from './format-command.ts'

const KILL_DELAY_MS = 2_000
const MAX_CLOSING_MS = 200
/** Only this many characters at the end of each stream are kept. */
export const MAX_OUTPUT = 16_000
export const NOT_FOUND = 127
/** If a signal ends a program, the shell's exit code is this plus the signal's number. */
const SIGNALLED = 128

type Ended = {
  /** `killed`: a signal or the time limit ended the command, or it could not start. */
  kind: 'ok' | 'failed' | 'killed' | 'missing'
  /** Completes the sentence "A formatter …", such as `timed out after 30 s`; empty for `ok`. */
  status: string
  code?: number | undefined
}

export type RunResult = Ended & { output: string }

export type Failure = RunResult & { command: string; mayHaveWritten: boolean; byHost?: true }

type Run = {
  command: FormatCommand
  path: string
  workspace: Workspace
  /** In milliseconds. */
  limit: number
  signal: AbortSignal
}

export const plainOutput = (output: string): string => markHidden(stripVTControlCharacters(output)).trim()

const signalGroup = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (!pid) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => {})
    return
  }
  // The group may have ended by itself.
  safe(() => process.kill(-pid, signal))
}

const searchPath = (path: string, workspace: Workspace): string => {
  const folders = foldersUpTo(dirname(path), projectRoot(workspace))
  const programFolders = folders.map((folder) => join(folder, 'node_modules', '.bin'))
  return [...programFolders, process.env['PATH'] ?? ''].join(delimiter)
}

/** On Windows, only a shell can start the programs that npm installs. */
export const programOf = (script: FormatCommand['script'], path: string, platform: NodeJS.Platform) => {
  if (platform === 'win32') {
    const line = typeof script === 'string' ? script : script.map((word) => `"${word}"`).join(' ')
    return { program: line.replaceAll('$FILE', '%FILE%'), args: [], shell: true }
  }
  const [program = '', ...args] = typeof script === 'string'
    ? ['sh', '-c', script]
    : script.map((word) => word.replace('$FILE', () => path))
  return { program, args, shell: false }
}

const MISSING: Ended = { kind: 'missing', status: 'was not found' }

const killed = (status: string): Ended => ({ kind: 'killed', status })

const endedWith = (code: number, ok: Array<number>): Ended => {
  if (ok.includes(code)) return { kind: 'ok', status: '' }
  if (code === NOT_FOUND) return { ...MISSING, code }
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === code - SIGNALLED) ?? []
  return signal
    ? killed(`was ended by ${signal}`)
    : { kind: 'failed', status: `failed (status ${code})`, code }
}

const waitForExit = async (child: ChildProcess, { command, limit, signal: abort }: Run): Promise<Ended> => {
  let isTimedOut = false
  let killer: NodeJS.Timeout | undefined
  const terminate = () => {
    signalGroup(child, 'SIGTERM')
    killer ??= setTimeout(signalGroup, KILL_DELAY_MS, child, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    terminate()
  }, limit)
  abort.addEventListener('abort', terminate)
  try {
    const [code, signal] = await once(child, 'exit')
    if (isTimedOut) return killed(`timed out after ${limit / 1_000} s`)
    return code === null ? killed(`was ended by ${signal}`) : endedWith(code, command.ok)
  } catch (thrown) {
    return Object(thrown).code === 'ENOENT' ? MISSING : killed(`did not start: ${reasonOf(thrown)}`)
  } finally {
    abort.removeEventListener('abort', terminate)
    clearTimeout(timer)
    clearTimeout(killer)
  }
}

export const runFormatter = async (run: Run): Promise<RunResult> => {
  const { command: { script, environment }, path, workspace } = run
  const { program, args, shell } = programOf(script, path, process.platform)
  const child: ChildProcess = spawn(program, args, {
    cwd: workspace.directory,
    env: { ...process.env, PATH: searchPath(path, workspace), ...environment, FILE: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    shell,
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  const outputs = [child.stderr, child.stdout].map((stream) => ({ stream, text: '' }))
  for (const output of outputs) {
    output.stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output.text = (output.text + chunk).slice(-MAX_OUTPUT)
    })
  }
  const ended = await waitForExit(child, run)
  // Processes that a failed formatter leaves running must not write to the restored file.
  if (ended.kind !== 'ok') signalGroup(child, 'SIGKILL')
  // A daemon may keep the output open forever.
  await withTimeout(MAX_CLOSING_MS, closed)
  for (const { stream } of outputs) stream?.destroy()
  return { ...ended, output: plainOutput(outputs.map(({ text }) => text).join('\n')) }
}
