import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { backUp, BACKUPS_KEPT, findBackup, listBackups, ORIGIN } from './backup.ts'

const state = scratchFolder()

/** Returns the path of the last backup. */
const backUpAll = async (file: string, texts: Array<string>, time = new Date()): Promise<string> => {
  let path = ''
  for (const text of texts) path = await backUp(state, file, Buffer.from(text), time)
  return path
}

const textsOf = async (file: string): Promise<Array<string>> =>
  (await listBackups(state, file)).map((path) => readFileSync(path, 'utf8'))

test('even if the clock is set back, the first backup and the last 19 are kept in order', async () => {
  const [file, other] = ['/repo/rules.md', '/other/rules.md']
  const all = Array.from({ length: BACKUPS_KEPT + 5 }, (_, index) => String(index))
  await backUpAll(other, ['other'])
  await backUpAll(file, all.slice(0, BACKUPS_KEPT), new Date('2099-01-02T03:04:05.678Z'))
  const last = await backUpAll(file, all.slice(BACKUPS_KEPT), new Date('2020-01-01'))
  const backups = await listBackups(state, file)
  expect(backups.at(-1)).toBe(last)
  expect(basename(backups[0]!)).toMatch(/^0+1-2099-01-02T03-04-05\.678Z-rules\.md$/)
  expect([await textsOf(file), await textsOf(other)]).toEqual([all.toSpliced(1, 5), ['other']])
})

test('backups of two alternating texts push out neither the original nor the backup of another text', async () => {
  const file = '/repo/turns.md'
  await backUpAll(file, ['original', 'between'])
  for (let round = 0; round < 2 * BACKUPS_KEPT; round++) {
    const created = await backUpAll(file, [`text ${round % 2}`])
    expect((await listBackups(state, file)).at(-1)).toBe(created)
    expect(await backUpAll(file, [`text ${round % 2}`])).toBe(created)
  }
  const [original, between, ...others] = await textsOf(file)
  expect([original, between, others.length]).toEqual(['original', 'between', BACKUPS_KEPT - 2])
})

test("each file's backups have a folder of their own, which only the person can read", async () => {
  const files = ['/home/ann/shop/a.md', '/home/ann-shop/a.md', `/repo/${'é'.repeat(120)}.md`]
  const folders: Array<string> = []
  for (const file of files) {
    const backup = await backUpAll(file, ['secret'])
    folders.push(dirname(backup))
    expect(readFileSync(backup, 'utf8')).toBe('secret')
    expect(readFileSync(join(dirname(backup), ORIGIN), 'utf8')).toBe(file)
    expect([backup, dirname(backup)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700])
  }
  expect(basename(folders[0]!)).toMatch(/^home-ann-shop-a\.md-[\da-f]{12}$/)
  expect(new Set(folders).size).toBe(3)
})

test('a backup is found by its name or as `latest`', async () => {
  const realPath = '/repo/blank.md '
  const first = await backUpAll(realPath, ['one'])
  const second = await backUpAll(realPath, ['two'])
  const find = async (wanted: string, current: string | null) => {
    const found = await findBackup(state, realPath, wanted, current ? Buffer.from(current) : null)
    return found.error ?? found.data.bytes.toString()
  }
  expect(await find('latest', null)).toBe('two')
  expect(await find(' Latest', 'two')).toBe('one')
  expect(await find(basename(first).trim(), 'one')).toBe('one')
  expect(await find('none', 'one')).toBe(`it has no backup called none; the newest are ${second}, ${first}`)
})
