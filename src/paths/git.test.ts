import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { askGit, ignoredByGit } from './git.ts'

const folder = scratchFolder()

const repository = (name: string): string => {
  const path = join(folder, name)
  mkdirSync(path)
  spawnSync('git', ['init', '-q'], { cwd: path })
  return path
}

test('what git ignores is found in one call, folders and hostile names included', async () => {
  const root = repository('plain')
  writeFileSync(join(root, '.gitignore'), 'build/\n*.log\n')
  const paths = ['a.log', 'a.ts', 'src/build/', 'src/build', 'x/\n.log', '-q', '--stdin']
  expect(await ignoredByGit(root, paths)).toEqual(new Set(['a.log', 'src/build/', 'x/\n.log']))
  expect(await ignoredByGit(root, ['a.ts'])).toEqual(new Set())
})

test('without a repository git cannot tell', async () => {
  expect(await ignoredByGit('/', ['a'])).toBeNull()
  expect(await askGit(join(folder, 'missing'), ['status'])).toEqual({ text: '', isWhole: false })
})

test('an endless .gitignore blocks nobody, and a program of the repository is not run', async () => {
  const root = repository('hostile')
  const made = join(folder, 'made')
  writeFileSync(join(root, 'hook'), `#!/bin/sh\ntouch ${made}\n`, { mode: 0o755 })
  spawnSync('git', ['config', 'core.fsmonitor', join(root, 'hook')], { cwd: root })
  mkdirSync(join(root, 'zero'))
  symlinkSync('/dev/zero', join(root, 'zero/.gitignore'))
  mkdirSync(join(root, 'pipe'))
  spawnSync('mkfifo', [join(root, 'pipe/.gitignore')])
  const start = Date.now()
  await Promise.all([
    ignoredByGit(root, ['zero/a', 'pipe/a']),
    askGit(root, ['ls-files', '--others', '--exclude-standard']),
  ])
  expect(Date.now() - start).toBeLessThan(6_000)
  expect(await Bun.file(made).exists()).toBe(false)
})
