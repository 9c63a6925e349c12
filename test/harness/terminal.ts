/** Runs the host (OpenCode) on a pseudo terminal, and reads what it draws. */
import { test } from 'bun:test'
import { createEmulator } from './emulator.ts'
import { eventually } from './eventually.ts'
import { hostBinary } from './host-process.ts'
import type { Host, Project } from './host.ts'
import { STORY_TIMEOUT_MS } from './story.ts'

type Display = { columns?: number; rows?: number; isLight?: boolean }

type TerminalOptions = Display & {
  editor?: string
  session?: string
  /** If true, the terminal connects to the running host instead of starting a host. */
  attached?: boolean
}

export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  down: '\x1b[B',
  end: '\x1b[F',
  ctrlC: '\x03',
  ctrlE: '\x05',
  ctrlO: '\x0f',
  ctrlU: '\x15',
}

export const WHY_NO_TERMINAL = typeof Bun.Terminal === 'function' && process.platform !== 'win32'
  ? null
  : 'Bun has no pseudo terminal on this system'

const CLICK_LIMIT_MS = 60_000
const REDRAW_MS = 1_000
const KILL_AFTER_MS = 3_000

export const runOnTerminal = (
  command: Array<string>,
  { cwd, env, columns = 150, rows = 45, isLight }: Display & { cwd: string; env: Record<string, string> },
) => {
  const type = (text: string): void => void program.terminal?.write(text)
  const { write, resize, dispose, positionOf, ...reader } = createEmulator({ columns, rows, isLight }, type)
  const program = Bun.spawn(command, {
    cwd,
    env: { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    terminal: { cols: columns, rows, data: (_, bytes) => write(bytes) },
  })

  const { screen } = reader
  /** Throws if the screen does not show `pattern` within `limit` ms. */
  const shows = (pattern: RegExp, limit?: number): Promise<string> =>
    eventually(screen, (text) => pattern.test(text), `The screen does not show ${pattern}`, limit)
  const hides = (pattern: RegExp, limit?: number): Promise<string> =>
    eventually(screen, (text) => !pattern.test(text), `The screen still shows ${pattern}`, limit)

  const showsAll = async (...patterns: Array<RegExp>): Promise<void> => {
    for (const pattern of patterns) await shows(pattern)
  }
  const closeDialog = async (pattern: RegExp): Promise<void> => {
    type(KEYS.escape)
    await hides(pattern)
  }

  const waitBriefly = (isTrue: () => boolean) => eventually(isTrue, Boolean, '', REDRAW_MS).catch(() => {})
  const clickOnce = (pattern: RegExp): void => {
    const { row, column } = positionOf(pattern)
    // A press ends with `M`, a release with `m`.
    for (const action of ['M', 'm']) type(`\x1b[<0;${column + 1};${row + 1}${action}`)
  }
  const waitForEither = async (pattern: RegExp, outcome: RegExp): Promise<void> => {
    const isEitherShown = () => pattern.test(screen()) || outcome.test(screen())
    await waitBriefly(isEitherShown)
    // An earlier click that missed may have opened another dialog, which shows `esc`.
    if (!isEitherShown() && /\besc\b/.test(screen())) type(KEYS.escape)
    await eventually(screen, isEitherShown, `The screen does not show ${pattern}`)
  }
  /** Repeats the click, because the host loses clicks while it draws. */
  const click = async (pattern: RegExp, outcome: RegExp): Promise<string> => {
    const deadline = Date.now() + CLICK_LIMIT_MS
    for (let clicks = 0; Date.now() < deadline; clicks++) {
      await waitForEither(pattern, outcome)
      // A click that seemed lost may still arrive and undo the outcome.
      if (outcome.test(screen()) && clicks > 1) await Bun.sleep(REDRAW_MS)
      if (outcome.test(screen())) break
      clickOnce(pattern)
      await waitBriefly(() => !pattern.test(screen()))
    }
    return shows(outcome)
  }

  const end = async (): Promise<void> => {
    program.kill('SIGTERM')
    const forced = setTimeout(() => program.kill('SIGKILL'), KILL_AFTER_MS)
    await program.exited
    clearTimeout(forced)
    program.terminal?.close()
    dispose()
  }
  return {
    ...reader,
    type,
    shows,
    showsAll,
    hides,
    closeDialog,
    click,
    resize: (width: number, height = rows): void => {
      resize(width, height)
      program.terminal?.resize(width, height)
    },
    exited: program.exited,
    end,
    [Symbol.asyncDispose]: end,
  }
}

export type Terminal = ReturnType<typeof runOnTerminal>

const REOPEN_AFTER_MS = 20_000

export const openTerminal = async (
  host: Host,
  project: Project,
  { session, attached = false, editor = '', ...display }: TerminalOptions = {},
): Promise<Terminal> => {
  const attach = ['attach', host.url, '--dir', project.directory]
  const ownHost = ['--hostname', '127.0.0.1', '--port', new URL(host.url).port]
  const command = [hostBinary(), ...(attached ? attach : ownHost), ...(session ? ['--session', session] : [])]
  const env = { ...host.env, EDITOR: editor }
  const open = () => runOnTerminal(command, { cwd: project.directory, env, ...display })
  let terminal = open()
  try {
    await terminal.shows(/ctrl\+p/, REOPEN_AFTER_MS)
  } catch {
    // If many hosts start at once, a terminal may never draw anything.
    await terminal.end()
    terminal = open()
    await terminal.shows(/ctrl\+p/)
  }
  return terminal
}

const RETYPE_AFTER_MS = 5_000

/** Types up to three times, because the host loses keys until the cursor is in place. */
const typeUntil = async (terminal: Terminal, words: string, waitFor: (limit?: number) => Promise<string>) => {
  const tryOnce = (limit?: number) => {
    terminal.type(KEYS.ctrlU + words)
    return waitFor(limit)
  }
  await tryOnce(RETYPE_AFTER_MS).catch(() => tryOnce(RETYPE_AFTER_MS)).catch(() => tryOnce())
}

/** Types a prompt, and presses Enter once the screen shows `description`. */
export const runCommand = async (terminal: Terminal, words: string, description: RegExp): Promise<void> => {
  await typeUntil(terminal, words, (limit) => terminal.shows(description, limit))
  terminal.type(KEYS.enter)
}

/** Types `words` into a list's search until the entries `others` are gone. */
export const searchList = async (terminal: Terminal, words: string, others: RegExp): Promise<void> => {
  await terminal.shows(others)
  await typeUntil(terminal, words, (limit) => terminal.hides(others, limit))
}

/** Retries a failed story up to `retry` times, because a busy machine may lose a key. */
export const terminalStory = (name: string, body: () => Promise<void>, retry = 0): void => {
  const title = WHY_NO_TERMINAL === null ? name : `${name} (not run: ${WHY_NO_TERMINAL})`
  test.concurrent.skipIf(WHY_NO_TERMINAL !== null)(title, body, { timeout: 2 * STORY_TIMEOUT_MS, retry })
}
