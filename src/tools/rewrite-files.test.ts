import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rewriteFiles } from './rewrite-files.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-rewrite-files-')))
afterAll(() => rmSync(folder, { recursive: true }))

test('a call that is stopped between two files tells which was written and which was not', async () => {
  const paths = ['a.md', 'b.md', 'c.md'].map((name) => join(folder, name))
  for (const path of paths) writeFileSync(path, 'old\n')
  const stop = new AbortController()
  let asked = 0
  const { title, output } = await rewriteFiles(
    {
      place: { directory: folder, worktree: folder },
      ask: async () => {
        asked += 1
        if (asked === 2) stop.abort()
      },
      discovered: new Set(paths),
      known: new Set(paths),
      state: join(folder, 'state'),
      abort: stop.signal,
    },
    { rules: ['- new'], mode: 'concise', notes: [] },
    { directory: folder, filesArg: paths, host: {} },
  )
  expect(title).toBe('1 file, 1 rule')
  expect(output).toMatch(/^\| a\.md +\| Success +\|/m)
  for (const name of ['b.md', 'c.md']) {
    expect(output).toMatch(new RegExp(`^\\| ${name} +\\| Not written +\\|`, 'm'))
    expect(output).toContain(`Not written: ${join(folder, name)}: the call was stopped before this file`)
  }
  expect(asked).toBe(2)
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['- new\n', 'old\n', 'old\n'])
})
