/** Uses xterm to emulate a terminal, and reads the text and cells of its screen. */
import xterm from '@xterm/headless'

export type Cell = { text: string; colour: number; background: number; isBold: boolean }

const [BLACK, WHITE] = ['00/00/00', 'ff/ff/ff']
// The codes with which a program asks for a terminal's colours.
const [FOREGROUND, BACKGROUND] = [10, 11]

const readerOf = (terminal: xterm.Terminal) => {
  const rows = () => Array.from({ length: terminal.rows }, (_, row) => row)
  const lineAt = (row: number) => terminal.buffer.active.getLine(row)
  const lines = () => rows().map((row) => lineAt(row)!.translateToString(false, 0, terminal.cols).trimEnd())
  const screen = (): string => lines().join('\n')

  const positionOf = (pattern: RegExp) => {
    const row = lines().findIndex((line) => pattern.test(line))
    if (row < 0) throw new Error(`The screen does not show ${pattern}:\n${screen()}`)
    return { row, column: pattern.exec(lines()[row]!)!.index }
  }

  const cellAt = (row: number, column: number): Cell => {
    const cell = lineAt(row)!.getCell(column)!
    const [colour, background] = [cell.getFgColor(), cell.getBgColor()]
    return { text: cell.getChars(), isBold: Boolean(cell.isBold()), colour, background }
  }
  const cells = (): Array<Array<Cell>> =>
    rows().map((row) => Array.from({ length: terminal.cols }, (_, column) => cellAt(row, column)))
  const colourOf = (pattern: RegExp): number => {
    const { row, column } = positionOf(pattern)
    return cellAt(row, column).colour
  }
  const wrapped = (): Array<string> => lines().filter((_, row) => lineAt(row + 1)?.isWrapped)
  return { screen, cells, positionOf, colourOf, wrapped }
}

/** `answer` sends the terminal's answers to the program. */
export const createEmulator = (
  { columns, rows, isLight = false }: { columns: number; rows: number; isLight?: boolean | undefined },
  answer: (text: string) => void,
) => {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 })
  terminal.onData(answer)
  // xterm does not answer queries for colours, and a program waits a second for each answer.
  const answerColour = (code: number, colour: string) =>
    terminal.parser.registerOscHandler(code, (query) => {
      if (query === '?') answer(`\x1b]${code};rgb:${colour}\x07`)
      return true
    })
  answerColour(FOREGROUND, isLight ? BLACK : WHITE)
  answerColour(BACKGROUND, isLight ? WHITE : BLACK)
  return {
    ...readerOf(terminal),
    write: (bytes: Uint8Array) => terminal.write(bytes),
    resize: (width: number, height: number) => terminal.resize(width, height),
    dispose: () => terminal.dispose(),
  }
}
