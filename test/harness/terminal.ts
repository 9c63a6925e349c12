/**
 * Shows the host's screen to stories: runs the real program on one of Bun's pseudo terminals, and reads its output with
 * xterm's emulator. The machine needs no other program.
 */
import xterm from '@xterm/headless'
import { test } from 'bun:test'
import { eventually } from './eventually.ts'
import { hostBinary } from './host-process.ts'
import type { Host, Project } from './host.ts'
import { STORY_TIMEOUT_MS } from './story.ts'

/** The size and the colours of a terminal, which are dark by default; the command of the person's editor, if any. */
type Display = { columns?: number; rows?: number; isLight?: boolean; editor?: string }

/** A cell of the screen, with its colours as numbers (`0xffffff`). */
export type Cell = { text: string; colour: number; background: number; isBold: boolean }

export type Terminal = {
  /** The text of the screen, line by line, without padding. */
  screen(): string
  /** The cells of each line, for a picture of the screen. */
  cells(): Array<Array<Cell>>
  /** The lines that wrapped into the next one. */
  wrapped(): Array<string>
  /** Waits until the screen shows `words`; throws with the screen at the deadline. */
  shows(words: RegExp, limit?: number): Promise<string>
  /** Waits until `words` are gone from the screen. */
  hides(words: RegExp, limit?: number): Promise<string>
  /** Types text; `KEYS` has the other keys. */
  type(text: string): void
  /** Clicks the first occurrence of `words` until the screen shows `outcome`: a click while it is drawn gets lost. */
  click(words: RegExp, outcome: RegExp): Promise<string>
  /** Sets the width of the terminal in columns. */
  resize(columns: number): void
  /** The foreground colour of the first character of `words`, as a number. */
  colourOf(words: RegExp): number
  /** The program's exit code, when it ends. */
  exited: Promise<number>
  end(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
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

/** The last letter of a mouse event in a terminal. */
const MOUSE = { press: 'M', release: 'm' }

/** Returns why this machine cannot show a screen, or `null`. Bun has pseudo terminals on Linux and macOS. */
export const whyNoTerminal = (): string | null =>
  typeof Bun.Terminal === 'function' && process.platform !== 'win32'
    ? null
    : 'Bun has no pseudo terminal on this system'

const LIMIT_MS = 60_000
const GRACE_MS = 3_000
const CLICK_MS = 1_000
const DRAWN_MS = 20_000
const TYPED_MS = 5_000

/** Creates functions that read the text and cells of an emulator. */
const readerOf = (emulator: xterm.Terminal) => {
  const lineAt = (row: number) => emulator.buffer.active.getLine(row)
  const lines = () =>
    Array.from(
      { length: emulator.rows },
      (_, row) => lineAt(row)?.translateToString(false, 0, emulator.cols).trimEnd() ?? '',
    )
  const screen = () => lines().join('\n')
  const positionOf = (words: RegExp) => {
    const row = lines().findIndex((line) => words.test(line))
    if (row < 0) throw new Error(`The screen does not show ${words}:\n${screen()}`)
    return { row, column: words.exec(lines()[row]!)!.index }
  }
  const colourOf = (words: RegExp): number => {
    const { row, column } = positionOf(words)
    return lineAt(row)?.getCell(column)?.getFgColor() ?? -1
  }
  const cells = () =>
    Array.from(
      { length: emulator.rows },
      (_, row) =>
        Array.from({ length: emulator.cols }, (_, column): Cell => {
          const cell = lineAt(row)?.getCell(column)
          const [text, isBold] = [cell?.getChars() ?? '', Boolean(cell?.isBold())]
          return { text, isBold, colour: cell?.getFgColor() ?? 0, background: cell?.getBgColor() ?? 0 }
        }),
    )
  const wrapped = () => lines().filter((_, row) => lineAt(row + 1)?.isWrapped)
  return { screen, cells, positionOf, colourOf, wrapped }
}

/** Runs a program on its own terminal. */
export const runOnTerminal = (
  command: Array<string>,
  { cwd, env, columns = 150, rows = 45, isLight }: Display & {
    cwd: string
    env: Record<string, string>
  },
): Terminal => {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 })
  const program = Bun.spawn(command, {
    cwd,
    env: { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    terminal: { cols: columns, rows, data: (_, bytes) => emulator.write(bytes) },
  })
  const type = (text: string) => void program.terminal?.write(text)
  // The program queries its terminal, and would wait a second for colours, which the emulator does not have.
  emulator.onData(type)
  const [black, white] = ['00/00/00', 'ff/ff/ff']
  for (const [code, colour] of [[10, isLight ? black : white], [11, isLight ? white : black]] as const) {
    emulator.parser.registerOscHandler(code, (query) => {
      if (query === '?') type(`\x1b]${code};rgb:${colour}\x07`)
      return true
    })
  }

  const { screen, positionOf, ...reader } = readerOf(emulator)
  // Kill the program only if it does not end at the first signal.
  const end = async () => {
    program.kill('SIGTERM')
    const forced = setTimeout(() => program.kill('SIGKILL'), GRACE_MS)
    await program.exited
    clearTimeout(forced)
    program.terminal?.close()
    emulator.dispose()
  }
  const shows: Terminal['shows'] = (words, limit) =>
    eventually(screen, (text) => words.test(text), `The screen does not show ${words}`, limit)
  return {
    ...reader,
    screen,
    type,
    shows,
    hides: (words, limit) =>
      eventually(screen, (text) => !words.test(text), `The screen still shows ${words}`, limit),
    click: async (words, outcome) => {
      const isDone = () => outcome.test(screen())
      const isReady = () => words.test(screen()) || isDone()
      const wait = (holds: () => boolean) => eventually(holds, Boolean, '', CLICK_MS).catch(() => {})
      const deadline = Date.now() + LIMIT_MS
      for (let clicks = 0; Date.now() < deadline; clicks++) {
        // Rows may move before a click: if the click opened another row, close it.
        await wait(isReady)
        if (!isReady() && /\besc\b/.test(screen())) type(KEYS.escape)
        await eventually(screen, isReady, `The screen does not show ${words}`)
        // A click that seemed lost may arrive late, and the next one undoes it.
        if (isDone() && clicks > 1) await Bun.sleep(CLICK_MS)
        if (isDone()) break
        const { row, column } = positionOf(words)
        for (const action of [MOUSE.press, MOUSE.release]) type(`\x1b[<0;${column + 1};${row + 1}${action}`)
        await wait(() => !words.test(screen()))
      }
      return shows(outcome)
    },
    resize: (width) => {
      emulator.resize(width, rows)
      program.terminal?.resize(width, rows)
    },
    exited: program.exited,
    end,
    [Symbol.asyncDispose]: end,
  }
}

/**
 * Opens the host's terminal in a project: `attached` to a running host, or with a host of its own, as a person does
 * (`prepareTerminalHost`). That takes twice as long.
 */
export const openTerminal = async (
  host: Host,
  project: Project,
  { session, attached = false, editor = '', ...look }: Display & {
    session?: string
    attached?: boolean
  } = {},
): Promise<Terminal> => {
  const attach = ['attach', host.url, '--dir', project.directory]
  const ownHost = ['--hostname', '127.0.0.1', '--port', new URL(host.url).port]
  const command = [hostBinary(), ...(attached ? attach : ownHost), ...(session ? ['--session', session] : [])]
  const env = { ...host.env, EDITOR: editor }
  const open = () => runOnTerminal(command, { cwd: project.directory, env, ...look })
  let terminal = open()
  try {
    await terminal.shows(/ctrl\+p/, DRAWN_MS)
  } catch {
    // If many hosts start at once, a terminal may never draw anything. A person would open it again.
    await terminal.end()
    terminal = open()
    await terminal.shows(/ctrl\+p/)
  }
  return terminal
}

/** Types words again until the screen shows them: keys typed before the cursor is in place are lost. */
const typeUntil = async (
  terminal: Terminal,
  words: string,
  isShown: (limit?: number) => Promise<string>,
): Promise<void> => {
  const typed = (limit?: number) => {
    terminal.type(KEYS.ctrlU + words)
    return isShown(limit)
  }
  await typed(TYPED_MS).catch(() => typed(TYPED_MS)).catch(() => typed())
}

/** Types a command, waits until the prompt lists its description, and runs it. */
export const runCommand = async (terminal: Terminal, name: string, description: RegExp): Promise<void> => {
  await typeUntil(terminal, name, (limit) => terminal.shows(description, limit))
  terminal.type(KEYS.enter)
}

/** Searches a list: waits until it shows `others`, types `words`, and waits until `others` are gone. */
export const searchList = async (terminal: Terminal, words: string, others: RegExp): Promise<void> => {
  await terminal.shows(others)
  await typeUntil(terminal, words, (limit) => terminal.hides(others, limit))
}

/** Waits until the screen shows all words, because the terminal draws bit by bit. */
export const showsAll = async (terminal: Terminal, all: Array<RegExp>): Promise<void> => {
  for (const words of all) await terminal.shows(words)
}

/** Closes a dialog that shows `words`. */
export const closeDialog = async (terminal: Terminal, words: RegExp): Promise<void> => {
  terminal.type(KEYS.escape)
  await terminal.hides(words)
}

/**
 * Runs a story on the host's screen. On a machine without pseudo terminals, the runner reports it as skipped.
 *
 * @param retry how often a story with its own terminal is repeated: on a busy machine, a terminal may lose a key or an
 * event of its host. A real fault persists
 */
export const terminalStory = (name: string, body: () => Promise<void>, retry = 0): void => {
  const reason = whyNoTerminal()
  test.concurrent.skipIf(reason !== null)(
    reason === null ? name : `${name} (not run: ${reason})`,
    body,
    { timeout: 2 * STORY_TIMEOUT_MS, retry },
  )
}
