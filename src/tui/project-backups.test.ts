import { expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { backUp, backupFolder } from '../writing/backup.ts'
import type { ChangeKind } from '../writing/shown-files.ts'
import { diffBlocks, listProjectBackups, whyNotRestorable } from './project-backups.ts'

const scratch = scratchFolder()

const backUpAt = async (state: string, file: string, text: string, time: string, occasion?: ChangeKind) => {
  const path = await backUp(state, file, Buffer.from(text), new Date(time), occasion)
  utimesSync(path, new Date(time), new Date(time))
}

test("a project's backups are listed, newest first, even if the original files no longer exist", async () => {
  const [state, project] = [join(scratch, 'state'), join(scratch, 'project')]
  const [a, b] = [join(project, 'AGENTS.md'), join(project, 'docs', 'b-c.md')]
  await backUpAt(state, a, 'one', '2026-01-01')
  await backUpAt(state, b, 'two!', '2026-01-02', 'restore')
  await backUpAt(state, a, 'three', '2026-01-03', 'rewrite')
  // Neither an unreadable backup nor a backup of another project is listed.
  symlinkSync(join(scratch, 'gone'), join(backupFolder(state, a), '000009-gone.md'))
  await backUpAt(state, join(scratch, 'project-two', 'AGENTS.md'), 'other', '2026-01-04')
  const listed = (await listProjectBackups(state, project))
    .map(({ file, bytes, at, occasion }) => [file, bytes, at.toISOString().slice(0, 10), occasion])
  expect(listed).toEqual([
    [a, 5, '2026-01-03', 'rewrite'],
    [b, 4, '2026-01-02', 'restore'],
    [a, 3, '2026-01-01', undefined],
  ])
})

test('a folder of backups is ignored unless its name is derived from the path stored in it', async () => {
  const backups = join(scratch, 'odd state', 'backups')
  const paths = { empty: '', lies: join(scratch, 'a.md'), odd: 'not a path' }
  for (const [name, path] of Object.entries(paths)) writeFileAt(join(backups, name, 'path'), path)
  writeFileAt(join(backups, 'file'))
  expect(await listProjectBackups(join(scratch, 'odd state'), scratch)).toEqual([])
  expect(await listProjectBackups(join(scratch, 'no state'), scratch)).toEqual([])
})

test('a restore can create or replace a text file, but not a link, a folder or a binary file', async () => {
  const folder = realpathSync(mkdtempSync(join(scratch, 'present-')))
  const at = (name: string) => join(folder, name)
  writeFileAt(at('text.md'), 'x')
  writeFileSync(at('binary.md'), Buffer.from([0xFF, 0xFE]))
  symlinkSync('text.md', at('link.md'))
  const files = ['text.md', 'gone/a.md', 'link.md', '', 'binary.md'].map(at)
  const reasons = await Promise.all(files.map(whyNotRestorable))
  expect(reasons).toEqual([
    null,
    null,
    `A link leads from ${at('link.md')} to ${at('text.md')} now. Remove the link, then restore.`,
    `${folder} cannot be replaced: it is a folder, not a file. Move it elsewhere, then restore.`,
    `${at('binary.md')} cannot be replaced: it is not valid UTF-8. Move it elsewhere, then restore.`,
  ])
})

test('a diff removes a changed block as a whole, and adds its replacement as a whole', async () => {
  const diff = await diffBlocks('Same.\n\n- a\n- b\n\n- c\n', 'Same.\n\nProse a\nb\n\nc, too\n')
  expect(diff.map(({ sign, text }) => sign + text))
    .toEqual([' Same.', '-- a\n- b\n\n- c', '+Prose a\nb\n\nc, too'])
  expect(await diffBlocks('', 'x\n')).toEqual([{ sign: '+', text: 'x' }])
})
