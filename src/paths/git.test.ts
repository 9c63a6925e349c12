import { expect, spyOn, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { askGit, ignoredByGit } from './git.ts'

const folder = scratchFolder()
const NO_ANSWER = { text: '', isComplete: false }

const createRepository = (name: string): string => {
  const path = join(folder, name)
  mkdirSync(path)
  spawnSync('git', ['init', '-q'], { cwd: path })
  return path
}

test('finds ignored files of any name, and ignored folders if their path ends in `/`', async () => {
  const root = createRepository('plain')
  writeFileSync(join(root, '.gitignore'), 'build/\n*.log\n')
  const paths = ['a.log', 'a.ts', 'src/build/', 'src/build', 'x/\n.log', '-q', '--stdin']
  expect(await ignoredByGit(root, paths)).toEqual(new Set(['a.log', 'src/build/', 'x/\n.log']))
  expect(await ignoredByGit(root, ['a.ts'])).toEqual(new Set())
})

test('without a repository, or in a missing folder, git gives no answer', async () => {
  expect(await ignoredByGit('/', ['a'])).toBeNull()
  expect(await askGit(join(folder, 'missing'), ['status'])).toEqual(NO_ANSWER)
})

/** A new copy of the module does not know that git was too slow in earlier tests. */
const importAnew = (): Promise<typeof import('./git.ts')> => import(`./git.ts?${Math.random()}`)

test('all runs of git in a tool call share two seconds, even if git hangs', async () => {
  const { askGit, withGitTime } = await importAnew()
  const bin = mkdtempSync(join(folder, 'bin-'))
  const startLog = join(bin, 'starts')
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho >> ${startLog}\nsleep 30\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env['PATH'] = `${bin}${delimiter}${PATH}`
  const ask = () => askGit(folder, ['--version'])
  const start = Date.now()
  try {
    // For the third run, no time is left.
    expect(await withGitTime(() => Promise.all([ask(), ask()]).then(ask))).toEqual(NO_ANSWER)
  } finally {
    process.env['PATH'] = PATH
  }
  const startCount = readFileSync(startLog, 'utf8').length // one line break for each start
  expect([Math.round((Date.now() - start) / 1_000), startCount]).toEqual([2, 2])
})

test('git in a hostile repository is stopped after two seconds, and starts no program', async () => {
  const { askGit, ignoredByGit, withGitTime } = await importAnew()
  const root = createRepository('hostile')
  const [hook, hookOutput] = [join(root, 'hook'), join(folder, 'hook-ran')]
  writeFileSync(hook, `#!/bin/sh\ntouch ${hookOutput}\n`, { mode: 0o755 })
  spawnSync('git', ['config', 'core.fsmonitor', hook], { cwd: root })
  for (const name of ['zero', 'pipe']) mkdirSync(join(root, name))
  symlinkSync('/dev/zero', join(root, 'zero/.gitignore'))
  spawnSync('mkfifo', [join(root, 'pipe/.gitignore')])
  const args = ['ls-files', '--others', '--exclude-standard']
  const askBoth = () => Promise.all([ignoredByGit(root, ['zero/a', 'pipe/a']), askGit(root, args)])
  const start = Date.now()
  expect(await withGitTime(askBoth)).toEqual([null, NO_ANSWER])
  expect([Math.round((Date.now() - start) / 1_000), existsSync(hookOutput)]).toEqual([2, false])
})

test('if git twice takes two seconds within a minute, it is not started for a minute', async () => {
  const { askGit } = await importAnew()
  const ask = () => askGit(folder, ['--version'])
  const clock = performance.now.bind(performance)
  let elapsed = 0
  using _ = spyOn(performance, 'now').mockImplementation(() => clock() + elapsed)
  const askForTwoSeconds = () => {
    // Git has started when `ask` returns, and ends after the clock is advanced.
    const answer = ask()
    elapsed += 2_000
    return answer
  }
  await askForTwoSeconds()
  expect(await ask()).toMatchObject({ isComplete: true })
  await askForTwoSeconds()
  elapsed += 59_000
  expect(await ask()).toEqual(NO_ANSWER)
  elapsed += 1_000
  expect(await ask()).toMatchObject({ isComplete: true })
})
