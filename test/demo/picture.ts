/**
 * Draws `docs/panel.svg` (`bun test/demo/picture.ts`): the screen of the real host after a call of a scripted model
 * broke a rule, and below it the answer of that call, which the host shows only to the model.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { read, ruleFile } from '../delivery/session-rules.ts'
import type { Cell } from '../harness/emulator.ts'
import { CHECKOUT, startHost } from '../harness/host.ts'
import { openTerminal } from '../harness/terminal.ts'
import { DRAFT, RULE } from './script.ts'

// The sizes of a cell of the screen in the picture, and how far the baseline of its text is below its top.
const [CELL_WIDTH, CELL_HEIGHT, BASELINE] = [8.4, 17, 13]
const [GROUND, BOX, TEXT, MUTED, WARNING] = [0x0a0a0a, 0x141414, 0xeeeeee, 0x808080, 0xf5a742]
const FONT = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14"'

const hex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const widthOf = (columns: number): number => Math.round(columns * CELL_WIDTH * 10) / 10

/** Returns a text that is the same for cells that look alike. A cell without colours (0) has those of the terminal. */
const lookOf = ({ colour, background, isBold }: Cell) => `${colour || TEXT} ${background || GROUND} ${isBold}`

/** Draws neighbouring cells that look alike: their background if it is not the ground, and their text. */
const drawAlike = (cells: Array<Cell>, column: number, row: number): Array<string> => {
  const { colour, background, isBold } = cells[0]!
  const [x, y] = [widthOf(column), row * CELL_HEIGHT]
  const size = `width="${widthOf(cells.length)}" height="${CELL_HEIGHT}"`
  const box = `<rect x="${x}" y="${y}" ${size} fill="${hex(background)}"/>`
  const hasBox = (background || GROUND) !== GROUND
  const words = cells.map((cell) => cell.text || ' ').join('').trimEnd()
  const weight = isBold ? ' font-weight="bold"' : ''
  const look = `fill="${hex(colour || TEXT)}"${weight} textLength="${widthOf([...words].length)}"`
  const text = `<text x="${x}" y="${y + BASELINE}" ${look}>${escapeXml(words)}</text>`
  return [...hasBox ? [box] : [], ...words === '' ? [] : [text]]
}

/** Draws a line: splits it where the look of the cells changes. */
const drawLine = (cells: Array<Cell>, row: number): Array<string> => {
  const shapes: Array<string> = []
  for (let start = 0, end = 0; start < cells.length; start = end) {
    while (end < cells.length && lookOf(cells[end]!) === lookOf(cells[start]!)) end++
    shapes.push(...drawAlike(cells.slice(start, end), start, row))
  }
  return shapes
}

/** Draws the lines of a screen as SVG. */
const drawScreen = (lines: Array<Array<Cell>>, columns: number): string => {
  const width = columns * CELL_WIDTH
  const height = lines.length * CELL_HEIGHT
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" `
    + `${FONT} shape-rendering="crispEdges" xml:space="preserve">`
    + `<rect width="100%" height="100%" fill="${hex(GROUND)}"/>`,
    ...lines.flatMap(drawLine),
    '</svg>\n',
  ].join('\n')
}

/** Creates the cells of a line of text below the screen. */
const lineOf = (text: string, columns: number, colour: number, background = BOX): Array<Cell> =>
  [...text.padEnd(columns)].map((character) => ({ text: character, colour, background, isBold: false }))

/** Creates the lines below the screen: the answer of the call, with the line that names the violation highlighted. */
const linesOfAnswer = (answer: string, columns: number): Array<Array<Cell>> => [
  lineOf('', columns, TEXT, GROUND),
  lineOf('', columns, TEXT),
  lineOf('  The answer of the call, as the agent reads it:', columns, MUTED),
  lineOf('', columns, TEXT),
  ...answer.split('\n').map((line) =>
    lineOf(`  ${line}`, columns, line.startsWith('What was') ? WARNING : TEXT)
  ),
  lineOf('', columns, TEXT),
]

const host = await startHost({ plugin: [] })
const plugin = [CHECKOUT]
const columns = 126
// The path of the project is in the picture, so it is short.
const directory = '/tmp/shop'
mkdirSync(directory)
const project = host.project({
  directory,
  files: {
    '.opencode/rules/exports.md': RULE,
    '.opencode/rules/tests.md': 'Write a test for each function that computes prices.\n',
    '.opencode/rules/sql.md': ruleFile('globs: "**/*.sql"', 'Name each column.'),
    '.opencode/tui.json': JSON.stringify({ plugin }),
    'src/limits.ts': 'export const limits = {}\n',
  },
  config: { plugin },
})
const session = await project.session({ title: 'Cart shows the sum' })
const { outputs: [, answer = ''] } = await session.turn(
  'Add a function for the sum of the cart.',
  read('src/limits.ts'),
  { tool: 'write', args: { filePath: project.path('src/cart.ts'), content: DRAFT } },
  'The default export on line 1 of src/cart.ts breaks the rule exports. Shall I make it a named one?',
)
const terminal = await openTerminal(host, project, { session: session.id, attached: true, columns, rows: 27 })
await terminal.shows(/! exports src\/cart\.ts:1/)
await terminal.shows(/Shall I/)
// The terminal may still be drawing.
await Bun.sleep(1_000)
const lines = [...terminal.cells(), ...linesOfAnswer(answer, columns)]
writeFileSync(join(CHECKOUT, 'docs/panel.svg'), drawScreen(lines, columns))
console.log(terminal.screen())
await terminal.end()
await host.stop()
rmSync(directory, { recursive: true })
process.exit(0)
