/** Windows by proxy: nothing here ran on it. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'

test('the paths of Windows: drives, backslashes, both slashes, names in another case', () => {
  const folder = join(import.meta.dirname, 'windows')
  const args = ['test', '--preload', join(folder, 'win32.ts'), join(folder, 'paths.ts')]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: CHECKOUT, encoding: 'utf8' })
  expect(status === 0 ? '' : stderr).toBe('')
})
