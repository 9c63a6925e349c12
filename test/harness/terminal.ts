/**
 * The host's own screen, for stories about what a person sees: the real program on a pseudo terminal of Bun's, its
 * output read by the terminal emulator that editors use, so that nothing has to be installed.
 */
import xterm from '@xterm/headless'
import { test } from 'bun:test'
import { eventually } from './eventually.ts'
import { hostBinary } from './host-process.ts'
import type { Host, Project } from './host.ts'
import { STORY_TIMEOUT_MS } from './story.ts'

/** How a terminal looks, and the person's editor: dark by default, and none. */
type Look = { columns?: number; rows?: number; isLight?: boolean; editor?: string }

/** A cell of the screen; its colours as numbers (`0xffffff`). */
export type Cell = { text: string; colour: number; background: number; isBold: boolean }

export type Terminal = {
  /** What stands on the screen, line by line, without what pads it. */
  screen(): string
  /** What stands in each cell of each line, for a picture of the screen. */
  cells(): Array<Array<Cell>>
  /** The lines that did not fit and went on in the next one. */
  wrapped(): Array<string>
  /** The screen as soon as it shows `words`; throws with what it shows instead. */
  shows(words: RegExp, limit?: number): Promise<string>
  /** The screen as soon as `words` are gone from it. */
  hides(words: RegExp, limit?: number): Promise<string>
  /** Types text; `KEYS` has those that are no letters. */
  type(text: string): void
  /** Clicks where `words` first stand on the screen, until it shows `outcome`: a click while it is drawn is lost. */
  click(words: RegExp, outcome: RegExp): Promise<string>
  /** Makes the terminal so many columns wide. */
  resize(columns: number): void
  /** The foreground colour of the first character of `words`, as a number. */
  colourOf(words: RegExp): number
  /** The program's exit code, once it ends. */
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
  /** Removes what stands before the cursor. */
  ctrlU: '\x15',
}

/** Why no screen can be shown on this machine, or `null`: Bun has pseudo terminals on Linux and macOS. */
export const whyNoTerminal = (): string | null =>
  typeof Bun.Terminal === 'function' && process.platform !== 'win32'
    ? null
    : 'Bun has no pseudo terminal on this system'

const LIMIT_MS = 60_000
const GRACE_MS = 3_000
const CLICK_MS = 1_000
const DRAWN_MS = 20_000
const TYPED_MS = 5_000

/** What stands in an emulator, and where. */
const readerOf = (emulator: xterm.Terminal) => {
  const lineAt = (row: number) => emulator.buffer.active.getLine(row)
  const lines = () =>
    Array.from(
      { length: emulator.rows },
      (_, row) => lineAt(row)?.translateToString(false, 0, emulator.cols).trimEnd() ?? '',
    )
  const screen = () => lines().join('\n')
  const placeOf = (words: RegExp) => {
    const row = lines().findIndex((line) => words.test(line))
    if (row < 0) throw new Error(`The screen does not show ${words}:\n${screen()}`)
    return { row, column: words.exec(lines()[row]!)!.index }
  }
  const colourOf = (words: RegExp): number => {
    const { row, column } = placeOf(words)
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
  return { screen, cells, placeOf, colourOf, wrapped }
}

/** Runs a program on a terminal of its own. */
export const runOnTerminal = (
  command: Array<string>,
  { cwd, env, columns = 150, rows = 45, isLight }: Look & { cwd: string; env: Record<string, string> },
): Terminal => {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 })
  const program = Bun.spawn(command, {
    cwd,
    env: { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    terminal: { cols: columns, rows, data: (_, bytes) => emulator.write(bytes) },
  })
  const type = (text: string) => void program.terminal?.write(text)
  // The program asks its terminal for what it can do, and waits a second for colours, of which the emulator has none.
  emulator.onData(type)
  const [black, white] = ['00/00/00', 'ff/ff/ff']
  for (const [code, colour] of [[10, isLight ? black : white], [11, isLight ? white : black]] as const) {
    emulator.parser.registerOscHandler(code, (asked) => {
      if (asked === '?') type(`\x1b]${code};rgb:${colour}\x07`)
      return true
    })
  }

  const { screen, cells, placeOf, colourOf, wrapped } = readerOf(emulator)
  // By the signal that it may react to, and where it does not, by the one that it cannot.
  const end = async () => {
    program.kill('SIGTERM')
    const forced = setTimeout(() => program.kill('SIGKILL'), GRACE_MS)
    await program.exited
    clearTimeout(forced)
    program.terminal?.close()
    emulator.dispose()
  }
  const shows: Terminal['shows'] = (words, limit) =>
    eventually(screen, (shown) => words.test(shown), `The screen does not show ${words}`, limit)
  return {
    screen,
    cells,
    wrapped,
    colourOf,
    type,
    shows,
    hides: (words, limit) =>
      eventually(screen, (shown) => !words.test(shown), `The screen still shows ${words}`, limit),
    click: async (words, outcome) => {
      const isDone = () => outcome.test(screen())
      const end = Date.now() + LIMIT_MS
      for (let clicks = 0; Date.now() < end; clicks++) {
        const isShown = () => words.test(screen()) || isDone()
        // Rows may move between a look and a click: what another row opened is closed again.
        for (let waited = 0; waited < CLICK_MS && !isShown(); waited += 50) await Bun.sleep(50)
        if (!isShown() && /\besc\b/.test(screen())) type(KEYS.escape)
        await eventually(screen, isShown, `The screen does not show ${words}`)
        // A click that was taken for lost may come late, and the next one undoes it.
        if (isDone() && clicks > 1) await Bun.sleep(CLICK_MS)
        if (isDone()) break
        const { row, column } = placeOf(words)
        for (const release of ['M', 'm']) type(`\x1b[<0;${column + 1};${row + 1}${release}`)
        for (let waited = 0; waited < CLICK_MS && words.test(screen()); waited += 50) await Bun.sleep(50)
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
 * Opens the host's terminal in a project: `attached` to a host that runs, or else as a person does, with a host of its own
 * (`hostOfTerminal`), which takes as long again.
 */
export const openTerminal = async (
  host: Host,
  project: Project,
  { session, attached = false, editor = '', ...look }: Look & { session?: string; attached?: boolean } = {},
): Promise<Terminal> => {
  const attach = ['attach', host.url, '--dir', project.directory]
  const own = ['--hostname', '127.0.0.1', '--port', new URL(host.url).port]
  const command = [hostBinary(), ...(attached ? attach : own), ...(session ? ['--session', session] : [])]
  const env = { ...host.env, EDITOR: editor }
  const open = () => runOnTerminal(command, { cwd: project.directory, env, ...look })
  let terminal = open()
  try {
    await terminal.shows(/ctrl\+p/, DRAWN_MS)
  } catch {
    // Seen where many hosts start at once: a terminal that never draws anything. A person would open it again.
    await terminal.end()
    terminal = open()
    await terminal.shows(/ctrl\+p/)
  }
  return terminal
}

/** Types words until that shows: what comes before the cursor is where they belong is lost, or lands elsewhere. */
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

/** Runs a command that is known by its description in the prompt's list. */
export const command = async (terminal: Terminal, name: string, description: RegExp): Promise<void> => {
  await typeUntil(terminal, name, (limit) => terminal.shows(description, limit))
  terminal.type(KEYS.enter)
}

/** Searches a list, once `others` are in it and until they are gone. */
export const search = async (terminal: Terminal, words: string, others: RegExp): Promise<void> => {
  await terminal.shows(others)
  await typeUntil(terminal, words, (limit) => terminal.hides(others, limit))
}

/** Waits until all of it is on the screen, which the terminal draws bit by bit. */
export const showsAll = async (terminal: Terminal, all: Array<RegExp>): Promise<void> => {
  for (const words of all) await terminal.shows(words)
}

/** Closes a dialog that shows `words`. */
export const close = async (terminal: Terminal, words: RegExp): Promise<void> => {
  terminal.type(KEYS.escape)
  await terminal.hides(words)
}

/**
 * A story on the host's screen. Where the machine has no terminal for it, the runner names it as not run.
 *
 * @param retry how often one is told again that has a terminal of its own: seen where the machine is busy, a terminal loses
 * a key, or what its host tells it, as a person's does. What is wrong stays wrong
 */
export const terminalStory = (name: string, tell: () => Promise<void>, retry = 0): void => {
  const reason = whyNoTerminal()
  test.concurrent.skipIf(reason !== null)(
    reason === null ? name : `${name} (not run: ${reason})`,
    tell,
    { timeout: 2 * STORY_TIMEOUT_MS, retry },
  )
}
