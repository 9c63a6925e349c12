/** Prints the figures of benches: `bun run bench [name…]`. Without names, runs all benches that take only seconds. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, Row } from './measure.ts'

const NOT_A_BENCH = new Set(['run', 'measure'])

// These run for minutes, with the real host and real formatters.
const ONLY_BY_NAME = new Set(['formatters', 'programming'])

const requested = process.argv.slice(2)
const names = readdirSync(import.meta.dirname)
  .flatMap((file) => /^(.*)\.ts$/.exec(file)?.[1] ?? [])
  .filter((name) => !NOT_A_BENCH.has(name))
  .filter((name) => requested.length === 0 ? !ONLY_BY_NAME.has(name) : requested.includes(name))
  .sort()

const rows: Array<Row> = []
for (const name of names) {
  const { default: bench } = await import(join(import.meta.dirname, `${name}.ts`)) as { default: Bench }
  rows.push(...await bench())
}

const lines = [
  ['What', 'Size', 'SAT', 'Against', 'Ratio'],
  ...rows.map(({ label, size, figure, baseline, ratio }) => [label, size, figure, baseline, ratio]),
]
const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
const [head, ...body] = lines.map((line) =>
  `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
)
console.log([head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n'))
