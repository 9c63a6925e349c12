import { type ChildProcess, spawn } from 'node:child_process'
import { reasonOf } from '../../safe.ts'
import { bytesWrittenByGroup } from './bytes-written.ts'
import type { FormatCommand } from './choose-command.ts'

/** A formatter has this long for one file or one project. */
export const TIME_LIMIT_MS = 30_000

const GRACE_MS = 2_000
const DRAIN_MS = 200
const MAX_OUTPUT = 16_000

/** What a shell exits with where there is no such program. */
const NOT_FOUND = 127

const LAST_LINES = 12

/** Why a formatter failed. `output` is the last lines of what it printed. */
export type FormatFailure = { status: string; output: string }

/** What came of a run. */
export type Ran = {
  failure: FormatFailure | null
  /** Whether there is no such program. */
  isMissing: boolean
  /** How many bytes its processes wrote, what they printed left out; null where the system does not tell. */
  bytesWritten: number | null
}

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-LAST_LINES).join('\n')

const endGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // it has ended by itself
  }
}

// Runs a program and then prints, behind all that the program printed as an error, how many bytes it and its children
// wrote. A signal that ended the program ends this shell as well, so that its status is the program's. What this
// shell itself says of that is not heard. The count has no pipe of its own: with one, the host hung in 4 of 46 turns
// that a person ended, without it in 0 of 28.
const COUNTED = `
exec 4>&2 2> /dev/null
trap : TERM
(exec "$@" 2>&4 4>&-)
status=$?
while read -r name value; do
  if [ "$name" = wchar: ]; then printf '\\001%s\\001' "$value" >&4; fi
done < /proc/$$/io
trap - TERM
if [ $status -gt 128 ]; then kill -$((status - 128)) $$; fi
exit $status
`

// What `COUNTED` prints: the number between two characters that no formatter prints.
const COUNT = /\u0001(\d+)\u0001/

const argvOf = (
  { script }: FormatCommand,
  path: string,
): { program: string; given: Array<string>; shell: boolean } => {
  if (typeof script !== 'string') {
    const [program = '', ...given] = script.map((word) => word.replace('$FILE', () => path))
    return { program, given, shell: false }
  }
  if (process.platform !== 'win32') return { program: 'sh', given: ['-c', script], shell: false }
  return { program: script.replaceAll('$FILE', '%FILE%'), given: [], shell: true }
}

const start = (command: FormatCommand, path: string, directory: string): ChildProcess => {
  const { program, given, shell } = argvOf(command, path)
  const isCounted = process.platform === 'linux' && typeof command.script === 'string'
  return spawn(isCounted ? 'sh' : program, isCounted ? ['-c', COUNTED, 'sh', program, ...given] : given, {
    cwd: directory,
    env: { ...process.env, ...command.environment, FILE: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    shell,
  })
}

/** Collects what a child prints: the end of it for the log, and its length. */
const listen = (child: ChildProcess) => {
  const heard = { output: '', printed: 0 }
  const read = (chunk: Buffer) => {
    heard.printed += chunk.length
    heard.output = (heard.output + chunk.toString()).slice(-MAX_OUTPUT)
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  return heard
}

/** Takes the count of `COUNTED` out of what was printed: how many bytes were written beside that. */
const takeCount = (heard: { output: string; printed: number }): number | null => {
  const found = COUNT.exec(heard.output)
  if (!found) return null
  heard.output = heard.output.replace(COUNT, '')
  return Number(found[1]) - (heard.printed - found[0].length)
}

/**
 * Ends a child's group once its time is over: it is asked to, and after a while made to.
 *
 * @returns whether the time was over, how many bytes the group had written by then, and a way to call it off
 */
const limitTime = (child: ChildProcess, limit: number) => {
  const state = { isOver: false, bytesWritten: null as number | null }
  let killer: NodeJS.Timeout | undefined
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!child.pid || child.exitCode !== null) return
    state.bytesWritten = bytesWrittenByGroup(child.pid)
    endGroup(child.pid, signal)
  }
  const timer = setTimeout(() => {
    // A busy host hears late that a child has ended: only after its timers.
    setImmediate(() => {
      if (child.exitCode !== null || child.signalCode !== null) return
      state.isOver = true
      end('SIGTERM')
      killer = setTimeout(end, GRACE_MS, 'SIGKILL')
    })
  }, limit)
  return {
    state,
    callOff: () => {
      clearTimeout(timer)
      clearTimeout(killer)
    },
  }
}

const failureOf = (
  { ok }: FormatCommand,
  { code, signal, isOver, limit, output }: {
    code: number | null
    signal: NodeJS.Signals | null
    isOver: boolean
    limit: number
    output: string
  },
): FormatFailure | null => {
  if (!isOver && code !== null && (ok === 'any' || ok.includes(code))) return null
  const status = isOver
    ? `timed out after ${limit / 1_000} s`
    : signal
    ? `ended by ${signal}`
    : `status ${code}`
  return { status, output: lastLines(output) }
}

/**
 * Runs a formatter in a folder, without input, in a process group of its own. Beyond the time limit the whole group
 * is asked to end and then made to.
 *
 * @param limit in milliseconds
 */
export const runFormatter = (
  command: FormatCommand,
  path: string,
  directory: string,
  limit = TIME_LIMIT_MS,
): Promise<Ran> =>
  new Promise((resolve) => {
    const child = start(command, path, directory)
    const heard = listen(child)
    const time = limitTime(child, limit)
    const settle = (failure: FormatFailure | null, isMissing: boolean, counted: number | null = null) => {
      time.callOff()
      child.stdout?.destroy()
      child.stderr?.destroy()
      const written = time.state.bytesWritten
      const bytesWritten = counted ?? (written === null ? null : written - heard.printed)
      resolve({ failure, isMissing, bytesWritten })
    }
    child.once('error', (thrown) => {
      settle({ status: `did not start: ${reasonOf(thrown)}`, output: '' }, Object(thrown).code === 'ENOENT')
    })
    child.once('exit', (code, signal) => {
      // It has ended by itself: what its pipes still hold does not count as its time.
      time.callOff()
      const { isOver } = time.state
      const failure = () => failureOf(command, { code, signal, isOver, limit, output: heard.output })
      // The processes that a failed formatter left behind must not write to the file that is put back.
      if (failure() && child.pid) endGroup(child.pid, 'SIGKILL')
      const finish = () => {
        const counted = takeCount(heard)
        settle(failure(), code === NOT_FOUND, counted)
      }
      // A daemon that the formatter left behind may hold its output open for ever.
      const drained = setTimeout(finish, DRAIN_MS)
      child.once('close', () => {
        clearTimeout(drained)
        finish()
      })
    })
  })
