import { spawn } from 'node:child_process'
import { fail, ok, reasonOf, type Result } from '../safe.ts'
import type { FormatCommand } from './command.ts'

/** A formatter has this long for one file or one project. */
export const TIME_LIMIT_MS = 30_000

const GRACE_MS = 2_000
const DRAIN_MS = 200
const MAX_OUTPUT = 16_000
const LAST_LINES = 12

/** Why a formatter failed. `output` is the last lines of what it printed. */
export type FormatFailure = { status: string; output: string }

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-LAST_LINES).join('\n')

const endGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // it has ended by itself
  }
}

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

/**
 * Runs a formatter in a folder, without input, in a process group of its own. Beyond the time limit the whole group
 * is asked to end and then made to.
 *
 * @returns nothing where it ended with status 0; how it failed otherwise
 */
export const runFormatter = (
  command: FormatCommand,
  path: string,
  directory: string,
  limit = TIME_LIMIT_MS,
): Promise<Result<null, FormatFailure>> =>
  new Promise((resolve) => {
    const { program, given, shell } = argvOf(command, path)
    const child = spawn(program, given, {
      cwd: directory,
      env: { ...process.env, ...command.environment, FILE: path },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      shell,
    })
    let output = ''
    const read = (chunk: unknown) => {
      output = (output + String(chunk)).slice(-MAX_OUTPUT)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    let timedOut = false
    let killer: NodeJS.Timeout | undefined
    const timer = setTimeout(() => {
      timedOut = true
      if (!child.pid) return
      const { pid } = child
      endGroup(pid, 'SIGTERM')
      killer = setTimeout(() => endGroup(pid, 'SIGKILL'), GRACE_MS)
    }, limit)
    const settle = (result: Result<null, FormatFailure>) => {
      clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve(result)
    }
    child.once(
      'error',
      (thrown) => settle(fail({ status: `did not start: ${reasonOf(thrown)}`, output: '' })),
    )
    child.once('exit', (code, signal) => {
      // What was started in its group and ignores SIGTERM must not write to the file any more.
      if (timedOut && child.pid) endGroup(child.pid, 'SIGKILL')
      clearTimeout(killer)
      const finish = () => {
        const status = timedOut
          ? `timed out after ${limit / 1_000} s`
          : signal
          ? `ended by ${signal}`
          : `status ${code}`
        settle(code === 0 && !timedOut ? ok(null) : fail({ status, output: lastLines(output) }))
      }
      // A daemon that the formatter left behind may hold its output open for ever.
      const drained = setTimeout(finish, DRAIN_MS)
      child.once('close', () => {
        clearTimeout(drained)
        finish()
      })
    })
  })
