import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { conditionsOf, factsOf } from './conditions.ts'

const scratch = scratchFolder()

const MODEL = 'openrouter/anthropic/claude-3:free'

test.each<[condition: Parameters<typeof conditionsOf>[0], facts: object, isFor: boolean]>([
  [{ models: ['openrouter/*'] }, { model: MODEL }, true],
  [{ models: ['*/claude*'] }, { model: MODEL }, true],
  [{ models: ['claude-*'] }, { model: MODEL }, true],
  [{ models: ['openrouter'] }, { model: MODEL }, true],
  [{ models: ['anthropic/*'] }, { model: MODEL }, false],
  [{ models: ['*', '!*:free'] }, { model: MODEL }, false],
  [{ branches: ['main'] }, { branch: 'main' }, true],
  [{ branches: ['feature/*'] }, { branch: 'feature/a' }, true],
  [{ branches: ['release/'] }, { branch: 'release/1.0' }, true],
  [{ branches: ['release'] }, { branch: 'release/1.0' }, false],
  [{ branches: ['main'] }, { branch: 'release/main' }, false],
  [{ branches: ['!release'] }, { branch: 'release/1.0' }, true],
  [{ branches: ['!release'] }, { branch: 'release' }, false],
])('the condition %j with %j holds: %j', async (condition, facts, isFor) => {
  const conditions = (await conditionsOf(condition)).data!
  const allFacts = { agent: '', model: '', branch: '', ...facts }
  expect(conditions.map(({ holds }) => holds(allFacts))).toEqual([isFor])
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
