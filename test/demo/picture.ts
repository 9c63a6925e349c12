/**
 * Draws `docs/panel.svg` (`bun test/demo/picture.ts`): the screen of the real host after a call of a scripted model
 * broke a rule, and below it the answer of that call, which the host shows only to the model.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { read, ruleFile } from '../delivery/session-rules.ts'
import { CHECKOUT, startHost } from '../harness/host.ts'
import { type Cell, openTerminal } from '../harness/terminal.ts'
import { DRAFT, RULE } from './script.ts'

/** The sizes of a cell of the screen, and the distance of a text's baseline from the top of its cell. */
const [CELL_WIDTH, CELL_HEIGHT, BASELINE] = [8.4, 17, 13]
const [GROUND, BOX, TEXT, MUTED, WARNING] = [0x0a0a0a, 0x141414, 0xeeeeee, 0x808080, 0xf5a742]

const hex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const widthOf = (columns: number): number => Math.round(columns * CELL_WIDTH * 10) / 10

/** Returns a text that is the same for cells that look alike. */
const lookOf = ({ colour, background, isBold }: Cell) => `${colour || TEXT} ${background || GROUND} ${isBold}`

/** Draws cells that look alike: their text, and their background if it is not the ground. */
const drawRun = (run: Array<Cell>, start: number, row: number): Array<string> => {
  const { colour, background, isBold } = run[0]!
  const [x, y] = [widthOf(start), row * CELL_HEIGHT]
  const text = run.map((cell) => cell.text || ' ').join('').trimEnd()
  const size = `width="${widthOf(run.length)}" height="${CELL_HEIGHT}"`
  const ground = `<rect x="${x}" y="${y}" ${size} fill="${hex(background)}"/>`
  const weight = isBold ? ' font-weight="bold"' : ''
  const look = `fill="${hex(colour || TEXT)}"${weight} textLength="${widthOf([...text].length)}"`
  const words = `<text x="${x}" y="${y + BASELINE}" ${look}>${escapeXml(text)}</text>`
  return [...(background || GROUND) === GROUND ? [] : [ground], ...text === '' ? [] : [words]]
}

/** Draws a line: splits it into runs of cells that look alike. */
const drawLine = (cells: Array<Cell>, row: number): Array<string> => {
  const shapes: Array<string> = []
  for (let start = 0, end = 0; start < cells.length; start = end) {
    while (end < cells.length && lookOf(cells[end]!) === lookOf(cells[start]!)) end++
    shapes.push(...drawRun(cells.slice(start, end), start, row))
  }
  return shapes
}

/** Creates the cells of a line of text below the screen. */
const lineOf = (text: string, columns: number, colour: number, background = BOX): Array<Cell> =>
  [...text.padEnd(columns)].map((character) => ({ text: character, colour, background, isBold: false }))

const host = await startHost({ plugin: [] })
const plugin = [CHECKOUT]
const columns = 126
// The path of the project is in the picture, so it is short.
mkdirSync('/tmp/shop')
const project = host.project({
  directory: '/tmp/shop',
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
await Bun.sleep(1_000)
const below = [
  lineOf('', columns, TEXT, GROUND),
  lineOf('', columns, TEXT),
  lineOf('  The answer of the call, as the agent reads it:', columns, MUTED),
  lineOf('', columns, TEXT),
  ...answer.split('\n').map((line) =>
    lineOf(`  ${line}`, columns, line.startsWith('What was') ? WARNING : TEXT)
  ),
]
const lines = [...terminal.cells(), ...below, lineOf('', columns, TEXT)]
const width = columns * CELL_WIDTH
const height = lines.length * CELL_HEIGHT
const font = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14"'
const svg = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" `
  + `${font} shape-rendering="crispEdges" xml:space="preserve">`
  + `<rect width="100%" height="100%" fill="${hex(GROUND)}"/>`,
  ...lines.flatMap(drawLine),
  '</svg>\n',
]
writeFileSync(join(CHECKOUT, 'docs/panel.svg'), svg.join('\n'))
console.log(terminal.screen())
await terminal.end()
await host.stop()
rmSync(project.directory, { recursive: true })
process.exit(0)
