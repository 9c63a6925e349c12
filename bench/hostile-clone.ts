/**
 * A hostile clone: the start of a session in a repository with 500 rule files of the worst kinds, each kind in a fresh
 * process. Measures processor time and memory beyond a repository with one rule; the goal is at most 500 ms and 100 MB.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOSTILE_RULES } from '../test/harness/hostile-rules.ts'
import { writeFileAt } from '../test/harness/scratch.ts'
import { type Row, toTime, withLock } from './measure.ts'

const FILES = 500
const PROGRAM = `
  import { rulesReader } from ${JSON.stringify(join(import.meta.dirname, '../src/delivery/rules-on-disk.ts'))}
  const [directory] = process.argv.slice(-1)
  await import('minimatch')
  await import('re2js')
  const [before, start] = [process.memoryUsage().rss, process.cpuUsage()]
  await rulesReader({ directory, worktree: directory }, [], async () => [])(true)
  const { user, system } = process.cpuUsage(start)
  console.log(JSON.stringify([(user + system) / 1_000, process.memoryUsage().rss - before]))
`

/** Reads the rules of a folder in a fresh process; returns processor time in milliseconds and memory in bytes. */
const read = (folder: string): [ms: number, bytes: number] => {
  const options = { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' as const }
  const env = { ...process.env, OPENCODE_CONFIG_DIR: join(folder, 'none') }
  return JSON.parse(execFileSync(process.execPath, ['-e', PROGRAM, folder], { ...options, env }))
}

const rowOf = async (what: string, textOf: (index: number) => string): Promise<Row> => {
  const folders = [1, FILES].map((count) => {
    const folder = mkdtempSync(join(tmpdir(), 'sat-bench-'))
    for (let index = 0; index < count; index++) {
      writeFileAt(
        join(folder, `.opencode/rules/r${1_000 + index}.md`),
        count === 1 ? 'Be kind.' : textOf(index),
      )
    }
    return folder
  })
  const [plain, hostile] = folders as [string, string]
  try {
    const bytes: Array<number> = []
    const { ours, theirs } = await withLock(3, async () => {
      const [ms, size] = read(hostile)
      bytes.push(size)
      return ms
    }, async () => {
      const [ms, size] = read(plain)
      bytes.push(-size)
      return ms
    })
    const more = bytes.reduce((sum, one) => sum + one, 0) / 3
    return {
      what: `a hostile clone: ${what}`,
      size: `${FILES} rule files`,
      figure: `${toTime(ours - theirs)} more`,
      against: 'one rule',
      ratio: `${Math.round(more / 1e6)} MB more`,
    }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
}

export default async (): Promise<Array<Row>> => {
  const texts = Object.values(HOSTILE_RULES)
  const rows = [await rowOf('all kinds', (index) => texts[index % texts.length]!)]
  for (const [what, text] of Object.entries(HOSTILE_RULES)) rows.push(await rowOf(what, () => text))
  // Report the worst.
  const ms = ({ figure }: Row): number => Number.parseFloat(figure)
  return [rows[0]!, ...rows.slice(1).toSorted((one, other) => ms(other) - ms(one)).slice(0, 3)]
}
