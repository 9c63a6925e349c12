import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { followLinks, realPathOf, realPathOrSelf } from './real-path.ts'

const folder = scratchFolder()
writeFileAt(join(folder, 'in\\side', 'a\\b.md'))
symlinkSync('in\\side', join(folder, 'folder\\link'))
symlinkSync('in\\side/a\\b.md', join(folder, 'file\\link'))
symlinkSync('round\\2', join(folder, 'round\\1'))
symlinkSync('round\\1', join(folder, 'round\\2'))

test.each(['folder\\link/a\\b.md', 'file\\link'])('a backslash is a part of a name: %s', async (path) => {
  expect(await followLinks(join(folder, path))).toBe(join(folder, 'in\\side/a\\b.md'))
})

test('links to a missing file lead to the path of that file', async () => {
  symlinkSync('in\\side/gone.md', join(folder, 'gone.md'))
  symlinkSync('gone.md', join(folder, 'chain'))
  expect(await realPathOf(join(folder, 'chain'))).toBe(join(folder, 'in\\side/gone.md'))
})

test('links that form a circle are not followed forever', async () => {
  symlinkSync('round/round', join(folder, 'round'))
  expect(await realPathOf(join(folder, 'round'))).toStartWith(join(folder, 'round'))
})

const BROKEN = ['no\\such', 'round\\1', 'in\\side/a\\b.md/x']
test.each(BROKEN)('a path that leads nowhere is not resolved: %s', async (path) => {
  expect(await realPathOrSelf(join(folder, path))).toBe(join(folder, path))
  await expect(followLinks(join(folder, path))).rejects.toThrow()
})
