import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp } from './backup.ts'
import { listProjectBackups } from './project-backups.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-backups-')))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const keep = async (state: string, file: string, text: string, time: string): Promise<string> => {
  const path = await backUp(state, file, Buffer.from(text), new Date(time))
  utimesSync(path, new Date(time), new Date(time))
  return path
}

test("a project's backups are those of its files, the newest first, also of a file that is gone", async () => {
  const [state, project] = [join(scratch, 'state'), join(scratch, 'project')]
  const [a, b] = [join(project, 'AGENTS.md'), join(project, 'docs', 'b-c.md')]
  await keep(state, a, 'one', '2026-01-01')
  await keep(state, b, 'two!', '2026-01-02')
  await keep(state, a, 'three', '2026-01-03')
  await keep(state, join(scratch, 'project-two', 'AGENTS.md'), 'other', '2026-01-04')
  const listed = await listProjectBackups(state, project)
  expect(listed.map(({ file, bytes, at }) => [file, bytes, at.toISOString().slice(0, 10)])).toEqual([
    [a, 5, '2026-01-03'],
    [b, 4, '2026-01-02'],
    [a, 3, '2026-01-01'],
  ])
})

test('folders that are no backups, or name another file, are not listed', async () => {
  const state = join(scratch, 'odd')
  expect(await listProjectBackups(state, scratch)).toEqual([])
  for (const [name, origin] of [['empty', ''], ['lies', join(scratch, 'a.md')], ['odd', 'not a path']]) {
    mkdirSync(join(state, 'backups', name!), { recursive: true })
    writeFileSync(join(state, 'backups', name!, 'path'), origin!)
  }
  writeFileSync(join(state, 'backups', 'file'), '')
  expect(await listProjectBackups(state, scratch)).toEqual([])
})
