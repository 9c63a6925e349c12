/** Runs code for Windows with fakes of its paths and its held files. Nothing here ran on Windows itself. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'

const folder = join(import.meta.dirname, 'windows')

test.each([
  ['paths with drives, both slashes, and another case', ['--preload', join(folder, 'win32.ts'), 'paths.ts']],
  ['files that another program holds for a moment, without /proc and cp', ['held.ts']],
])('%s', (_, args) => {
  const command = ['test', ...args.slice(0, -1), join(folder, args.at(-1)!)]
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: CHECKOUT, encoding: 'utf8' })
  expect(status === 0 ? '' : stderr).toBe('')
})
