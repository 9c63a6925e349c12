import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { conditionsOf, factsOf } from './conditions.ts'

const scratch = scratchFolder()

const MODEL = 'openrouter/anthropic/claude-3:free'

test.each<[models: Array<string>, isFor: boolean]>([
  [['openrouter/*'], true],
  [['*/claude*'], true],
  [['claude-*'], true],
  [['openrouter'], true],
  [['anthropic/*'], false],
  [['*', '!*:free'], false],
])(`the condition "models: %j" holds for the model ${MODEL}: %j`, async (models, isFor) => {
  const conditions = (await conditionsOf({ models })).data!
  expect(conditions.map(({ holds }) => holds({ agent: '', model: MODEL, branch: '' }))).toEqual([isFor])
})

test.each<[branches: string, branch: string, isFor: boolean]>([
  ['main', 'main', true],
  ['feature/*', 'feature/a', true],
  ['release/', 'release/1.0', true],
  ['release', 'release/1.0', false],
  ['main', 'release/main', false],
  ['!release', 'release/1.0', true],
  ['!release', 'release', false],
])('the condition "branches: %s" on the branch %s holds: %j', async (branches, branch, isFor) => {
  const conditions = (await conditionsOf({ branches: [branches] })).data!
  expect(conditions.map(({ holds }) => holds({ agent: '', model: '', branch }))).toEqual([isFor])
})

const BRANCHES: Array<[textOfHead: string, branch: string]> = [
  ['ref: refs/heads/main', 'main'],
  ['0123abc', ''],
  // In the reftable format, HEAD never names the branch, so git is asked.
  ['ref: refs/heads/.invalid', 'from-git'],
]

test('in any worktree, the branch is read from HEAD or, with reftables, from git', async () => {
  const worktree = mkdtempSync(join(scratch, 'w-'))
  const linked = mkdtempSync(join(scratch, 'linked-'))
  writeFileAt(join(linked, '.git'), `gitdir: ${worktree}/.git/worktrees/a\n`)
  const bin = mkdtempSync(join(scratch, 'bin-'))
  const fakeGit = '#!/bin/sh\ncase "$*" in *" symbolic-ref --short -q HEAD") echo from-git ;; esac\n'
  writeFileSync(join(bin, 'git'), fakeGit, { mode: 0o755 })
  // The branch is read only if a rule has a condition on it.
  const conditions = (await conditionsOf({ branches: ['x'] })).data!
  const branchIn = async (folder: string) =>
    (await factsOf(undefined, {}, [{ conditions }], { worktree: folder })).branch
  const { PATH } = process.env
  process.env['PATH'] = `${bin}${delimiter}${PATH}`
  try {
    for (const [textOfHead, branch] of BRANCHES) {
      writeFileAt(join(worktree, '.git/HEAD'), `${textOfHead}\n`)
      writeFileAt(join(worktree, '.git/worktrees/a/HEAD'), `${textOfHead}\n`)
      expect([await branchIn(worktree), await branchIn(linked)]).toEqual([branch, branch])
    }
  } finally {
    process.env['PATH'] = PATH
  }
})
