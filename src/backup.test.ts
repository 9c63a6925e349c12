import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { backUp, BACKUPS_KEPT, listBackups, stateFolder } from './backup.ts'

const state = mkdtempSync(join(tmpdir(), 'sat-backup-'))
afterAll(() => rmSync(state, { recursive: true }))

test("the last 20 backups of a file are kept, in their order, other files' untouched", async () => {
  const now = new Date('2026-01-02T03:04:05.678Z')
  await backUp(state, '/other/rules.md', Buffer.from('other'), now)
  for (let number = 0; number < BACKUPS_KEPT + 5; number++) {
    const path = await backUp(state, '/repo/rules.md', Buffer.from(String(number)), now)
    expect(readFileSync(path, 'utf8')).toBe(String(number))
  }
  const kept = await listBackups(state, '/repo/rules.md')
  expect(kept.map((path) => readFileSync(path, 'utf8'))).toEqual(
    Array.from({ length: BACKUPS_KEPT }, (_, index) => String(index + 5)),
  )
  expect(await listBackups(state, '/other/rules.md')).toHaveLength(1)
  expect(basename(kept[0]!)).toMatch(/^2026-01-02T03-04-05\.678Z-\d+-rules\.md$/)
})

test("a backup is the person's alone", async () => {
  const path = await backUp(state, '/repo/secret.md', Buffer.from('secret'), new Date())
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
})

test('a name of any length is backed up', async () => {
  const path = await backUp(state, `/repo/${'é'.repeat(120)}.md`, Buffer.from('x'), new Date())
  expect(readFileSync(path, 'utf8')).toBe('x')
})

test('the state folder follows the XDG variable', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/s' })).toBe('/s/opencode-sat')
  for (const invalid of ['', 'relative/state']) {
    expect(stateFolder({ XDG_STATE_HOME: invalid })).toEndWith('/.local/state/opencode-sat')
  }
})
