/** Runs the test files in `windows/` in separate processes, because they replace modules. They never ran on Windows. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'

const folder = join(import.meta.dirname, 'windows')

test.each([
  ['paths with drives, both slashes, and mixed case', 'paths.ts', ['--preload', join(folder, 'win32.ts')]],
  ['a system without /proc and cp, and files that another program holds for a moment', 'held.ts', []],
])('the code handles %s', (_, file, options) => {
  const command = ['test', ...options, join(folder, file)]
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: CHECKOUT, encoding: 'utf8' })
  expect(status === 0 ? '' : stderr).toBe('')
})
