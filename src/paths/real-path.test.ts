/** Tests where links lead, with backslashes in names, missing files and circles of links. */
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
  const real = join(folder, 'in\\side/a\\b.md')
  expect(await followLinks(join(folder, path))).toBe(real)
  expect(await realPathOf(join(folder, path))).toBe(real)
})

test('a link to a missing file leads to the path of that file; a circle of links does not hang', async () => {
  const links = { 'gone.md': 'in\\side/gone.md', chain: 'gone.md', round: 'round/round' }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
  for (const name of ['gone.md', 'chain']) {
    expect(await realPathOf(join(folder, name))).toBe(join(folder, 'in\\side/gone.md'))
  }
  expect(await realPathOf(join(folder, 'round'))).toStartWith(join(folder, 'round'))
})

test.each(['no\\such', 'round\\1', 'in\\side/a\\b.md/x'])(
  'for a path that leads nowhere, `realPathOrSelf` returns it and `followLinks` rejects: %s',
  async (path) => {
    expect(await realPathOrSelf(join(folder, path))).toBe(join(folder, path))
    await expect(followLinks(join(folder, path))).rejects.toThrow()
  },
)
