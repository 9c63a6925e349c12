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

type Display = {
  columns?: number
  rows?: number
  /** Whether the background is light; default: dark. */
  isLight?: boolean
  /** The command of the person's editor. */
  editor?: string
}

/** A cell of the screen; its colours are numbers such as `0xffffff`. */
export type Cell = { text: string; colour: number; background: number; isBold: boolean }

export type Terminal = {
  /** The text of the screen, line by line, without padding. */
  screen(): string
  /** The cells of each line, for a picture of the screen. */
  cells(): Array<Array<Cell>>
  /** The lines that wrapped into the next one. */
  wrapped(): Array<string>
  /** Waits until the screen shows `words`, and returns the screen; throws if that takes more than `limit` ms. */
  shows(words: RegExp, limit?: number): Promise<string>
  /** Like `shows`, waits until `words` are gone from the screen. */
  hides(words: RegExp, limit?: number): Promise<string>
  /** Types text; `KEYS` has the other keys. */
  type(text: string): void
  /** Clicks `words`, again if necessary, until the screen shows `outcome`: a click while the host draws gets lost. */
  click(words: RegExp, outcome: RegExp): Promise<string>
  /** Sets the width of the terminal in columns. */
  resize(columns: number): void
  /** The foreground colour of the first character of `words`, as a number. */
  colourOf(words: RegExp): number
  /** The program's exit code, when it ends. */
  exited: Promise<number>
  /** Ends the program. */
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

/** The letters that end the codes of mouse events, as in `\x1b[<0;COLUMN;ROWM`. */
const MOUSE = { press: 'M', release: 'm' }

/** Returns why this machine cannot show a screen, or null if it can. Bun has pseudo terminals on Linux and macOS. */
export const whyNoTerminal = (): string | null =>
  typeof Bun.Terminal === 'function' && process.platform !== 'win32'
    ? null
    : 'Bun has no pseudo terminal on this system'

/** How long clicks are repeated. */
const CLICKING_MS = 60_000
/** How long the screen may take to follow a click. */
const CLICK_MS = 1_000
/** How long the program may take to end after the first signal. */
const GRACE_MS = 3_000
/** How long the terminal may take to draw its first screen before it is opened again. */
const DRAWN_MS = 20_000
/** How long the screen may take to follow typed words before they are typed again. */
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
  // The emulator answers the program's queries, except those for colours, for which the program would wait a second.
  emulator.onData(type)
  const [black, white] = ['00/00/00', 'ff/ff/ff']
  const [foreground, background] = isLight ? [black, white] : [white, black]
  // In a terminal's codes, 10 is the foreground and 11 the background.
  for (const [code, colour] of [[10, foreground], [11, background]] as const) {
    emulator.parser.registerOscHandler(code, (query) => {
      if (query === '?') type(`\x1b]${code};rgb:${colour}\x07`)
      return true
    })
  }

  const { screen, positionOf, ...reader } = readerOf(emulator)
  // Kills the program only if it does not end at the first signal.
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
      const waitBriefly = (holds: () => boolean) => eventually(holds, Boolean, '', CLICK_MS).catch(() => {})
      const deadline = Date.now() + CLICKING_MS
      for (let clicks = 0; Date.now() < deadline; clicks++) {
        // If rows moved before a click, it may have opened the dialog of another row: Esc closes that.
        await waitBriefly(isReady)
        if (!isReady() && /\besc\b/.test(screen())) type(KEYS.escape)
        await eventually(screen, isReady, `The screen does not show ${words}`)
        // A click that seemed lost may arrive late, after another one, and undo it: wait and look again.
        if (isDone() && clicks > 1) await Bun.sleep(CLICK_MS)
        if (isDone()) break
        const { row, column } = positionOf(words)
        for (const action of [MOUSE.press, MOUSE.release]) type(`\x1b[<0;${column + 1};${row + 1}${action}`)
        await waitBriefly(() => !words.test(screen()))
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
 * Opens the host's terminal in a project: `attached` to a running host, or, as for a person, with a host of its own
 * (`prepareTerminalHost`), which takes twice as long.
 */
export const openTerminal = async (
  host: Host,
  project: Project,
  { session, attached = false, editor = '', ...display }: Display & {
    session?: string
    attached?: boolean
  } = {},
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

/**
 * Types words up to three times, because keys that are typed before the cursor is in place are lost.
 *
 * @param hasEffect resolves if the screen follows the words within a limit, and throws if not
 */
const typeUntil = async (
  terminal: Terminal,
  words: string,
  hasEffect: (limit?: number) => Promise<string>,
): Promise<void> => {
  const tryOnce = (limit?: number) => {
    terminal.type(KEYS.ctrlU + words)
    return hasEffect(limit)
  }
  await tryOnce(TYPED_MS).catch(() => tryOnce(TYPED_MS)).catch(() => tryOnce())
}

/** Types a command or another prompt, waits until the screen shows `description`, and presses Enter. */
export const runCommand = async (terminal: Terminal, name: string, description: RegExp): Promise<void> => {
  await typeUntil(terminal, name, (limit) => terminal.shows(description, limit))
  terminal.type(KEYS.enter)
}

/** Searches a list for `words`: waits until the list shows `others`, which the search must remove, then types. */
export const searchList = async (terminal: Terminal, words: string, others: RegExp): Promise<void> => {
  await terminal.shows(others)
  await typeUntil(terminal, words, (limit) => terminal.hides(others, limit))
}

/** Waits for one pattern after the other, because the terminal draws bit by bit. */
export const showsAll = async (terminal: Terminal, all: Array<RegExp>): Promise<void> => {
  for (const words of all) await terminal.shows(words)
}

/** Closes a dialog that shows `words`. */
export const closeDialog = async (terminal: Terminal, words: RegExp): Promise<void> => {
  terminal.type(KEYS.escape)
  await terminal.hides(words)
}

/**
 * Defines a story on the host's screen. On a machine without pseudo terminals, the runner reports the story as skipped.
 *
 * @param retry how often a story that fails is repeated; only for a story with its own terminal. On a busy machine, a
 * terminal may lose a key or an event of its host; a real fault makes each attempt fail
 */
export const terminalStory = (name: string, body: () => Promise<void>, retry = 0): void => {
  const reason = whyNoTerminal()
  test.concurrent.skipIf(reason !== null)(
    reason === null ? name : `${name} (not run: ${reason})`,
    body,
    { timeout: 2 * STORY_TIMEOUT_MS, retry },
  )
}
