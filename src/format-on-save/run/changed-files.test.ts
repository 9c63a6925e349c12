import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changedSince, keepFiles } from './changed-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'sat-changed-'))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('each file that a command changed is known, also where there are too many to keep their texts', async () => {
  const paths = Array.from({ length: 510 }, (_, index) => write(`${index}.txt`, `${index}\n`))
  const kept = await keepFiles(paths)
  expect([...kept.values()].filter((one) => 'text' in one)).toHaveLength(500)
  expect(await changedSince(kept)).toEqual([])
  write('0.txt', 'changed\n')
  write('509.txt', 'changed\n')
  rmSync(join(folder, '508.txt'))
  expect(await changedSince(kept)).toEqual([
    // What it said is not known any more.
    { path: join(folder, '0.txt'), before: '', after: 'changed\n' },
    { path: join(folder, '508.txt'), before: '508\n', after: '' },
    { path: join(folder, '509.txt'), before: '509\n', after: 'changed\n' },
  ])
})
