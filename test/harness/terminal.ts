/** Shows the screen of the host (OpenCode) to stories: runs the host on a pseudo terminal, and reads what it draws. */
import { test } from 'bun:test'
import { createEmulator } from './emulator.ts'
import { eventually } from './eventually.ts'
import { hostBinary } from './host-process.ts'
import type { Host, Project } from './host.ts'
import { STORY_TIMEOUT_MS } from './story.ts'

type Display = {
  columns?: number
  rows?: number
  /** Whether the background is light; default: dark. */
  isLight?: boolean
}

type TerminalOptions = Display & {
  /** The command of the person's editor. */
  editor?: string
  /** The id of the session that is shown; default: the start page. */
  session?: string
  /** Whether the terminal connects to a running host; default: it starts a host of its own. */
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
  /** Deletes the text before the cursor. */
  ctrlU: '\x15',
}

/** Why this machine cannot show a screen; null if it can. Bun has pseudo terminals on Linux and macOS. */
export const WHY_NO_TERMINAL = typeof Bun.Terminal === 'function' && process.platform !== 'win32'
  ? null
  : 'Bun has no pseudo terminal on this system'

/** How long a click is repeated. */
const CLICK_LIMIT_MS = 60_000
/** How long the screen may take to follow a click. */
const EFFECT_MS = 1_000
/** How long the program may take to end after the first signal. */
const GRACE_MS = 3_000
/** How long the terminal may take to draw its first screen before it is opened again. */
const DRAWN_MS = 20_000
/** How long the screen may take to follow typed words before they are typed again. */
const TYPED_MS = 5_000

/** Runs a program on a new pseudo terminal. */
export const runOnTerminal = (
  command: Array<string>,
  { cwd, env, columns = 150, rows = 45, isLight }: Display & { cwd: string; env: Record<string, string> },
) => {
  /** Types text; `KEYS` has the other keys. */
  const type = (text: string): void => void program.terminal?.write(text)
  const { write, resize, dispose, positionOf, ...reader } = createEmulator({ columns, rows, isLight }, type)
  const program = Bun.spawn(command, {
    cwd,
    env: { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    terminal: { cols: columns, rows, data: (_, bytes) => write(bytes) },
  })

  const { screen } = reader
  /** Waits until the screen shows `pattern`, and returns the screen; throws if that takes more than `limit` ms. */
  const shows = (pattern: RegExp, limit?: number): Promise<string> =>
    eventually(screen, (text) => pattern.test(text), `The screen does not show ${pattern}`, limit)
  /** Waits until the screen does not show `pattern`; otherwise like `shows`. */
  const hides = (pattern: RegExp, limit?: number): Promise<string> =>
    eventually(screen, (text) => !pattern.test(text), `The screen still shows ${pattern}`, limit)

  const clickOnce = (pattern: RegExp): void => {
    const { row, column } = positionOf(pattern)
    // The code of a press ends with `M`, that of a release with `m`.
    for (const action of ['M', 'm']) type(`\x1b[<0;${column + 1};${row + 1}${action}`)
  }
  const waitBriefly = (holds: () => boolean) => eventually(holds, Boolean, '', EFFECT_MS).catch(() => {})
  /** Clicks on `pattern`, repeatedly until the screen shows `outcome`: a click while the host draws is lost. */
  const click = async (pattern: RegExp, outcome: RegExp): Promise<string> => {
    const isDone = () => outcome.test(screen())
    const isReady = () => pattern.test(screen()) || isDone()
    const deadline = Date.now() + CLICK_LIMIT_MS
    for (let clicks = 0; Date.now() < deadline; clicks++) {
      // If rows moved just before the previous click, that click may have opened another row's dialog: Esc closes it.
      await waitBriefly(isReady)
      if (!isReady() && /\besc\b/.test(screen())) type(KEYS.escape)
      await eventually(screen, isReady, `The screen does not show ${pattern}`)
      // After several clicks, one that seemed lost may still arrive and undo the outcome: wait, then look again.
      if (isDone() && clicks > 1) await Bun.sleep(EFFECT_MS)
      if (isDone()) break
      clickOnce(pattern)
      await waitBriefly(() => !pattern.test(screen()))
    }
    return shows(outcome)
  }

  /** Ends the program; kills it if it does not end at the first signal. */
  const end = async (): Promise<void> => {
    program.kill('SIGTERM')
    const forced = setTimeout(() => program.kill('SIGKILL'), GRACE_MS)
    await program.exited
    clearTimeout(forced)
    program.terminal?.close()
    dispose()
  }
  return {
    ...reader,
    type,
    shows,
    hides,
    click,
    /** Sets the width of the terminal in columns. */
    resize: (width: number): void => {
      resize(width)
      program.terminal?.resize(width, rows)
    },
    /** Resolves to the program's exit code when it ends. */
    exited: program.exited,
    end,
    [Symbol.asyncDispose]: end,
  }
}

export type Terminal = ReturnType<typeof runOnTerminal>

/** Opens the host's terminal in a project. Takes twice as long if that also starts a host (`prepareTerminalHost`). */
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
    await terminal.shows(/ctrl\+p/, DRAWN_MS)
  } catch {
    // If many hosts start at once, a terminal may never draw anything. Like a person, open it again.
    await terminal.end()
    terminal = open()
    await terminal.shows(/ctrl\+p/)
  }
  return terminal
}

/** Types words, up to three times, until the screen follows: keys typed before the cursor is in place are lost. */
const typeUntil = async (
  terminal: Terminal,
  words: string,
  waitForEffect: (limit?: number) => Promise<string>,
): Promise<void> => {
  const tryOnce = (limit?: number) => {
    terminal.type(KEYS.ctrlU + words)
    return waitForEffect(limit)
  }
  await tryOnce(TYPED_MS).catch(() => tryOnce(TYPED_MS)).catch(() => tryOnce())
}

/** Types a command or another prompt (`words`), waits until the screen shows `description`, and presses Enter. */
export const runCommand = async (terminal: Terminal, words: string, description: RegExp): Promise<void> => {
  await typeUntil(terminal, words, (limit) => terminal.shows(description, limit))
  terminal.type(KEYS.enter)
}

/** Searches a list for `words`: waits until it shows `others`, types `words`, and waits until `others` are gone. */
export const searchList = async (terminal: Terminal, words: string, others: RegExp): Promise<void> => {
  await terminal.shows(others)
  await typeUntil(terminal, words, (limit) => terminal.hides(others, limit))
}

/** Waits until the screen shows the first pattern, then until it shows the next: the terminal draws bit by bit. */
export const showsAll = async (terminal: Terminal, patterns: Array<RegExp>): Promise<void> => {
  for (const pattern of patterns) await terminal.shows(pattern)
}

/** Closes a dialog that shows `pattern`. */
export const closeDialog = async (terminal: Terminal, pattern: RegExp): Promise<void> => {
  terminal.type(KEYS.escape)
  await terminal.hides(pattern)
}

/**
 * Defines a story on the host's screen; on a machine without pseudo terminals, it is reported as skipped. On a busy
 * machine, a terminal may lose a key or an event of its host: a story may `retry` if the terminal is its own.
 */
export const terminalStory = (name: string, body: () => Promise<void>, retry = 0): void => {
  const title = WHY_NO_TERMINAL === null ? name : `${name} (not run: ${WHY_NO_TERMINAL})`
  const options = { timeout: 2 * STORY_TIMEOUT_MS, retry }
  test.concurrent.skipIf(WHY_NO_TERMINAL !== null)(title, body, options)
}
