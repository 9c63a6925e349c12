/** Draws `docs/panel.svg`: a screen of the real host, and below it the answer of a call. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { read as readCall, ruleFile } from '../delivery/session-rules.ts'
import type { Cell } from '../harness/emulator.ts'
import { CHECKOUT, startHost } from '../harness/host.ts'
import { openTerminal } from '../harness/terminal.ts'
import { DRAFT, RULE } from './script.ts'

const COLUMNS = 126
// In pixels, with the baseline measured from the top of a cell.
const [CELL_WIDTH, CELL_HEIGHT, BASELINE] = [8.4, 17, 13]
const [GROUND, BOX, TEXT, MUTED, WARNING] = [0x0a0a0a, 0x141414, 0xeeeeee, 0x808080, 0xf5a742]
const FONT = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14"'

const hex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const widthOf = (columns: number): number => Math.round(columns * CELL_WIDTH * 10) / 10

// The colour 0 means the default of the terminal.
const lookOf = ({ colour, background, isBold }: Cell) => `${colour || TEXT} ${background || GROUND} ${isBold}`

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
  return [...(hasBox ? [box] : []), ...(words === '' ? [] : [text])]
}

const drawLine = (cells: Array<Cell>, row: number): Array<string> => {
  const shapes: Array<string> = []
  for (let start = 0, end = 0; start < cells.length; start = end) {
    while (end < cells.length && lookOf(cells[end]!) === lookOf(cells[start]!)) end++
    shapes.push(...drawAlike(cells.slice(start, end), start, row))
  }
  return shapes
}

const drawScreen = (lines: Array<Array<Cell>>): string => {
  const width = COLUMNS * CELL_WIDTH
  const height = lines.length * CELL_HEIGHT
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" `
    + `${FONT} shape-rendering="crispEdges" xml:space="preserve">`
    + `<rect width="100%" height="100%" fill="${hex(GROUND)}"/>`,
    ...lines.flatMap(drawLine),
    '</svg>\n',
  ].join('\n')
}

const lineOf = (text = '', colour = TEXT, background = BOX): Array<Cell> =>
  [...text.padEnd(COLUMNS)].map((character) => ({ text: character, colour, background, isBold: false }))

const isReport = (line: string): boolean => line.startsWith('What was just written to')

const linesOfAnswer = (answer: string): Array<Array<Cell>> => [
  lineOf('', TEXT, GROUND),
  lineOf(),
  lineOf('  The answer of the call, as the agent reads it:', MUTED),
  lineOf(),
  ...answer.split('\n').map((line) => lineOf(`  ${line}`, isReport(line) ? WARNING : TEXT)),
  lineOf(),
]

const host = await startHost({ plugin: [] })
const plugin = [CHECKOUT]
// The picture shows this path.
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
  readCall('src/limits.ts'),
  { tool: 'write', args: { filePath: project.path('src/cart.ts'), content: DRAFT } },
  'The default export on line 1 of src/cart.ts breaks the rule exports. Shall I make it a named one?',
)
const display = { session: session.id, attached: true, columns: COLUMNS, rows: 27 }
const terminal = await openTerminal(host, project, display)
await terminal.shows(/! exports src\/cart\.ts:1/)
await terminal.shows(/Shall I/)
// The terminal may still be drawing.
await Bun.sleep(1_000)
writeFileSync(join(CHECKOUT, 'docs/panel.svg'), drawScreen([...terminal.cells(), ...linesOfAnswer(answer)]))
console.log(terminal.screen())
await terminal.end()
await host.stop()
rmSync(directory, { recursive: true })
process.exit(0)
