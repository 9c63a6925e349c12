/**
 * Draws `docs/panel.svg` (`bun test/demo/picture.ts`): the screen of the real host, cell by cell, after a scripted model
 * broke a rule, and below it the answer of that call, which the host shows only to the model.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, startHost } from '../harness/host.ts'
import { type Cell, openTerminal } from '../harness/terminal.ts'
import { DRAFT, RULE } from './script.ts'

const [WIDTH, HEIGHT] = [8.4, 17]
const [GROUND, BOX, TEXT, MUTED, WARNING] = [0x0a0a0a, 0x141414, 0xeeeeee, 0x808080, 0xf5a742]

const hex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`
const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const round = (number: number): number => Math.round(number * 10) / 10

/** Draws one line: neighbouring cells that look alike become one background and one text. */
const drawLine = (cells: Array<Cell>, row: number): Array<string> => {
  const lookOf = ({ colour, background, isBold } = cells[0]!) =>
    [background || GROUND, colour || TEXT, isBold].join()
  const starts = [...cells.keys()].filter((column) =>
    column === 0 || lookOf(cells[column]) !== lookOf(cells[column - 1])
  )
  return starts.flatMap((start, index, all) => {
    const run = cells.slice(start, all[index + 1])
    const { colour, background, isBold } = run[0]!
    const text = run.map((cell) => cell.text || ' ').join('').trimEnd()
    const at = (columns: number) => `"${round(columns * WIDTH)}"`
    const ground = `<rect x=${at(start)} y="${row * HEIGHT}" width=${
      at(run.length)
    } height="${HEIGHT}" fill="${hex(background)}"/>`
    const words = `<text x=${at(start)} y="${row * HEIGHT + 13}" fill="${hex(colour || TEXT)}"${
      isBold ? ' font-weight="bold"' : ''
    } textLength=${at([...text].length)}>${escape(text)}</text>`
    return [...(background || GROUND) === GROUND ? [] : [ground], ...text === '' ? [] : [words]]
  })
}

const lineOf = (text: string, columns: number, colour: number, background = BOX): Array<Cell> =>
  [...text.padEnd(columns)].map((text) => ({ text, colour, background, isBold: false }))

const host = await startHost({ plugin: [] })
const [plugin, columns, rows] = [[CHECKOUT], 126, 27]
// The path of the project is in the picture.
mkdirSync('/tmp/shop')
const project = host.project({
  directory: '/tmp/shop',
  files: {
    '.opencode/rules/exports.md': RULE,
    '.opencode/rules/tests.md': 'Write a test for each function that computes prices.\n',
    '.opencode/rules/sql.md': '---\nglobs: "**/*.sql"\n---\nName each column.\n',
    '.opencode/tui.json': JSON.stringify({ plugin }),
    'src/limits.ts': 'export const limits = {}\n',
  },
  config: { plugin },
})
const session = await project.session({ title: 'Cart shows the sum' })
const { outputs: [, answer = ''] } = await session.turn(
  'Add a function for the sum of the cart.',
  { tool: 'read', args: { filePath: project.path('src/limits.ts') } },
  { tool: 'write', args: { filePath: project.path('src/cart.ts'), content: DRAFT } },
  'The default export on line 1 of src/cart.ts breaks the rule exports. Shall I make it a named one?',
)
const terminal = await openTerminal(host, project, { session: session.id, attached: true, columns, rows })
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
const [width, height] = [columns * WIDTH, lines.length * HEIGHT]
writeFileSync(
  join(CHECKOUT, 'docs/panel.svg'),
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" shape-rendering="crispEdges" xml:space="preserve"><rect width="100%" height="100%" fill="${
      hex(GROUND)
    }"/>`,
    ...lines.flatMap(drawLine),
    '</svg>\n',
  ].join('\n'),
)
console.log(terminal.screen())
await terminal.end()
await host.stop()
rmSync(project.directory, { recursive: true })
process.exit(0)
