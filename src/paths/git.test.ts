import { expect, spyOn, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { askGit, ignoredByGit, withGitTime } from './git.ts'

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
  await withGitTime(() =>
    Promise.all([
      ignoredByGit(root, ['zero/a', 'pipe/a']),
      askGit(root, ['ls-files', '--others', '--exclude-standard']),
    ])
  )
  expect(Date.now() - start).toBeLessThan(6_000)
  expect(await Bun.file(made).exists()).toBe(false)
})

/** Git as a host asks it that has just started, with a clock that can be set forward. */
const freshGit = async () => {
  const name = `./git.ts?${Math.random()}`
  const { askGit, withGitTime } = await import(name) as typeof import('./git.ts')
  const clock = performance.now.bind(performance)
  let added = 0
  const spy = spyOn(performance, 'now').mockImplementation(() => clock() + added)
  return {
    ask: () => askGit(folder, ['--version']),
    withGitTime,
    wait: (ms: number) => void (added += ms),
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}

test('a git that hangs has two seconds for a call; after two such calls it rests for a minute', async () => {
  using git = await freshGit()
  const [bin, times] = [mkdtempSync(join(folder, 'bin-')), new Array<number>()]
  const starts = join(bin, 'starts')
  // What it started hangs, too.
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho >> ${starts}\nsleep 30\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env['PATH'] = `${bin}${delimiter}${PATH}`
  try {
    for (let call = 0; call < 4; call++) {
      const start = Date.now()
      await git.withGitTime(async () => {
        await Promise.all([git.ask(), git.ask()])
        await git.ask()
      })
      times.push(Math.round((Date.now() - start) / 1_000))
    }
  } finally {
    process.env['PATH'] = PATH
  }
  expect([times, readFileSync(starts, 'utf8').length]).toEqual([[2, 2, 0, 0], 4])
  expect(await git.ask()).toMatchObject({ isWhole: false })
  git.wait(60_000)
  expect(await git.ask()).toMatchObject({ isWhole: true })
}, 20_000)
