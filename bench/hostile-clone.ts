/**
 * Measures how much more processor time and memory SAT needs to read 500 hostile rule files (made to slow SAT down)
 * than to read one plain rule. The goal is at most 500 ms and 100 MB.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { writeInto } from '../test/harness/host.ts'
import { HOSTILE_RULES } from '../test/harness/hostile-rules.ts'
import { type Bench, inFolder, medianOf, type Row, toTime } from './measure.ts'

const FILES = 500
const RUNS = 3
// Loads `minimatch` and `re2js`, which only the hostile rules need, so that loading them is not measured.
const PROGRAM = `
  import { rulesReader } from ${JSON.stringify(join(import.meta.dirname, '../src/delivery/rules-on-disk.ts'))}
  const directory = process.argv.at(-1)
  await import('minimatch')
  await import('re2js')
  const [before, start] = [process.memoryUsage().rss, process.cpuUsage()]
  await rulesReader({ directory, worktree: directory }, [], async () => [])('fresh')
  const { user, system } = process.cpuUsage(start)
  console.log(JSON.stringify({ ms: (user + system) / 1_000, bytes: process.memoryUsage().rss - before }))
`

const costOfReading = (folder: string): { ms: number; bytes: number } => {
  const env = { ...process.env, OPENCODE_CONFIG_DIR: join(folder, 'none') }
  const options = { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' as const, env }
  return JSON.parse(execFileSync(process.execPath, ['-e', PROGRAM, folder], options))
}

const rowOf = (label: string, textOf: (index: number) => string): Promise<Row> =>
  inFolder(async (folder) => {
    const files = Array.from({ length: FILES }, (_, index) => [`r${1_000 + index}.md`, textOf(index)])
    writeInto(join(folder, 'hostile/.opencode/rules'), Object.fromEntries(files))
    writeInto(join(folder, 'plain/.opencode/rules'), { 'a.md': 'Be kind.' })
    const additional = Array.from({ length: RUNS }, () => {
      const [hostile, plain] = [costOfReading(join(folder, 'hostile')), costOfReading(join(folder, 'plain'))]
      return { ms: hostile.ms - plain.ms, bytes: hostile.bytes - plain.bytes }
    })
    return {
      label: `a hostile clone: ${label}`,
      size: `${FILES} rule files`,
      figure: `${toTime(medianOf(additional.map(({ ms }) => ms)))} more`,
      baseline: 'one rule',
      ratio: `${Math.round(medianOf(additional.map(({ bytes }) => bytes)) / 1e6)} MB more`,
    }
  })

const bench: Bench = async () => {
  const texts = Object.values(HOSTILE_RULES)
  const all = await rowOf('all kinds', (index) => texts[index % texts.length]!)
  const rows: Array<Row> = []
  for (const [label, text] of Object.entries(HOSTILE_RULES)) rows.push(await rowOf(label, () => text))
  const msOf = ({ figure }: Row): number => Number.parseFloat(figure)
  const worstThree = rows.toSorted((a, b) => msOf(b) - msOf(a)).slice(0, 3)
  return [all, ...worstThree]
}

export default bench
