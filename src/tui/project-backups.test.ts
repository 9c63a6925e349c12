import { expect, test } from 'bun:test'
import { symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { backUp, backupFolder } from '../writing/backup.ts'
import type { ChangeKind } from '../writing/shown-files.ts'
import { diffBlocks, listProjectBackups } from './project-backups.ts'

const state = scratchFolder()

const backUpAt = async (own: string, file: string, text: string, time: string, occasion?: ChangeKind) => {
  const path = await backUp(own, file, Buffer.from(text), new Date(time), occasion)
  utimesSync(path, new Date(time), new Date(time))
  return path
}

test("a project's backups are those of its files, deleted ones included, the newest first", async () => {
  const [own, project] = [join(state, 'of a project'), join(state, 'project')]
  const [a, b] = [join(project, 'AGENTS.md'), join(project, 'docs', 'b-c.md')]
  await backUpAt(own, a, 'one', '2026-01-01')
  await backUpAt(own, b, 'two!', '2026-01-02', 'restore')
  await backUpAt(own, a, 'three', '2026-01-03', 'rewrite')
  symlinkSync(join(state, 'gone'), join(backupFolder(own, a), '000009-gone.md'))
  await backUpAt(own, join(state, 'project-two', 'AGENTS.md'), 'other', '2026-01-04')
  const listed = (await listProjectBackups(own, project)).map((
    { file, bytes, at, occasion },
  ) => [file, bytes, at.toISOString().slice(0, 10), occasion])
  expect(listed).toEqual([
    [a, 5, '2026-01-03', 'rewrite'],
    [b, 4, '2026-01-02', 'restore'],
    [a, 3, '2026-01-01', undefined],
  ])
})

test('folders without backups, or with the path of another file, are not listed', async () => {
  const odd = join(state, 'odd')
  expect(await listProjectBackups(odd, state)).toEqual([])
  for (const [name, origin] of [['empty', ''], ['lies', join(state, 'a.md')], ['odd', 'not a path']]) {
    writeFileAt(join(odd, 'backups', name!, 'path'), origin)
  }
  writeFileAt(join(odd, 'backups', 'file'))
  expect(await listProjectBackups(odd, state)).toEqual([])
})

test('a changed block is removed as a whole, and its replacement is added as a whole', async () => {
  const diff = await diffBlocks('Same.\n\n- a\n- b\n\n- c\n', 'Same.\n\nProse a\nb\n\nc, too\n')
  const lines = diff.map(({ sign, text }) => sign + text)
  expect(lines).toEqual([' Same.', '-- a\n- b\n\n- c', '+Prose a\nb\n\nc, too'])
  expect(await diffBlocks('', 'x\n')).toEqual([{ sign: '+', text: 'x' }])
})
