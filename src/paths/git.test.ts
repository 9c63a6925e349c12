import { expect, spyOn, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { askGit, ignoredByGit } from './git.ts'

const folder = scratchFolder()

const repository = (name: string): string => {
  const path = join(folder, name)
  mkdirSync(path)
  spawnSync('git', ['init', '-q'], { cwd: path })
  return path
}

test('one call finds the ignored paths, including folders and hostile names', async () => {
  const root = repository('plain')
  writeFileSync(join(root, '.gitignore'), 'build/\n*.log\n')
  const paths = ['a.log', 'a.ts', 'src/build/', 'src/build', 'x/\n.log', '-q', '--stdin']
  expect(await ignoredByGit(root, paths)).toEqual(new Set(['a.log', 'src/build/', 'x/\n.log']))
  expect(await ignoredByGit(root, ['a.ts'])).toEqual(new Set())
})

test('without a repository, git does not answer', async () => {
  expect(await ignoredByGit('/', ['a'])).toBeNull()
  expect(await askGit(join(folder, 'missing'), ['status'])).toEqual({ text: '', isComplete: false })
})

/** Runs a call while `git` is a program that hangs, as does its child; `starts` returns how often it was started. */
const withHangingGit = <T>(call: () => T): { called: T; starts(): number } => {
  const bin = mkdtempSync(join(folder, 'bin-'))
  const startLog = join(bin, 'starts')
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho >> ${startLog}\nsleep 30\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env['PATH'] = `${bin}${delimiter}${PATH}`
  try {
    return { called: call(), starts: () => readFileSync(startLog, 'utf8').length }
  } finally {
    process.env['PATH'] = PATH
  }
}

/** Creates a repository in which git would read forever, and whose config names a program that creates a file. */
const hostileRepository = (hookOutput: string): string => {
  const root = repository('hostile')
  writeFileSync(join(root, 'hook'), `#!/bin/sh\ntouch ${hookOutput}\n`, { mode: 0o755 })
  spawnSync('git', ['config', 'core.fsmonitor', join(root, 'hook')], { cwd: root })
  for (const name of ['zero', 'pipe']) mkdirSync(join(root, name))
  symlinkSync('/dev/zero', join(root, 'zero/.gitignore'))
  spawnSync('mkfifo', [join(root, 'pipe/.gitignore')])
  return root
}

test('git has two seconds per call; after two overlong calls, it is not started for a minute', async () => {
  // A fresh copy of the module, as in a host that just started.
  const name = `./git.ts?${Math.random()}`
  const { askGit, ignoredByGit, withGitTime } = await import(name) as typeof import('./git.ts')
  const ask = () => askGit(folder, ['--version'])
  const clock = performance.now.bind(performance)
  let elapsed = 0
  using _ = spyOn(performance, 'now').mockImplementation(() => clock() + elapsed)
  const firstLate = ask()
  elapsed += 2_000
  await firstLate
  expect(await ask()).toMatchObject({ isComplete: true })
  const hookOutput = join(folder, 'made')
  const root = hostileRepository(hookOutput)
  const start = Date.now()
  // Two runs of git hang at the same time and use up the two seconds, so the third is not started.
  const { called, starts } = withHangingGit(() =>
    withGitTime(() => Promise.all([ask(), ask()]).then(() => ask()))
  )
  const endless = withGitTime(() =>
    Promise.all([
      ignoredByGit(root, ['zero/a', 'pipe/a']),
      askGit(root, ['ls-files', '--others', '--exclude-standard']),
    ])
  )
  expect(await called).toMatchObject({ isComplete: false })
  expect(await endless).toEqual([null, { text: '', isComplete: false }])
  expect([Math.round((Date.now() - start) / 1_000), starts(), existsSync(hookOutput)]).toEqual([2, 2, false])
  // The minute of the pause.
  elapsed += 50_000
  expect(await ask()).toMatchObject({ isComplete: false })
  elapsed += 10_000
  expect(await ask()).toMatchObject({ isComplete: true })
}, 20_000)
