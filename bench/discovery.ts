/** Finding and reading many instruction files, against a bare read of the same files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discover } from '../src/discover.ts'
import { type Row, toRatio, toTime, withLock } from './measure.ts'

const SERIES = [50, 500, 5_000]
const BYTES = 2_000

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const againstBareReads = async (folder: string, amount: number): Promise<Array<Row>> => {
  const paths = Array.from({ length: amount }, (_, index) => join(folder, 'rules', `${index}.md`))
  mkdirSync(join(folder, 'rules'))
  for (const path of paths) writeFileSync(path, 'word '.repeat(BYTES / 5))
  writeFileSync(join(folder, 'opencode.json'), JSON.stringify({ instructions: ['rules/*.md'] }))

  const ours = () => timeOf(() => discover(folder))
  const bare: Array<[against: string, read: () => Promise<unknown>]> = [
    ['readFile, one after the other', async () => {
      for (const path of paths) await readFile(path, 'utf8')
    }],
    ['readFile, all at once', () => Promise.all(paths.map((path) => readFile(path, 'utf8')))],
  ]
  const rows: Array<Row> = []
  for (const [against, read] of bare) {
    const times = await withLock(9, ours, () => timeOf(read))
    rows.push({
      what: 'discovery',
      size: `${amount} files of ${BYTES / 1_000} KB`,
      figure: toTime(times.ours),
      against: `${against} ${toTime(times.theirs)}`,
      ratio: toRatio(times.ours, times.theirs),
    })
  }
  return rows
}

export default async (): Promise<Array<Row>> => {
  const rows: Array<Row> = []
  for (const amount of SERIES) {
    const folder = mkdtempSync(join(tmpdir(), 'sat-bench-'))
    try {
      rows.push(...await againstBareReads(folder, amount))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  return rows
}
