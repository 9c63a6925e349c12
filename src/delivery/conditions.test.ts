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
  [['anthropic/*'], false],
  [['*', '!*:free'], false],
])(`the condition "models: %j" holds for the model ${MODEL}: %j`, async (models, isFor) => {
  const conditions = (await conditionsOf({ models })).data!
  expect(conditions.map(({ holds }) => holds({ agent: '', model: MODEL, branch: '' }))).toEqual([isFor])
})

/** The text of HEAD → the branch. In the reftable format, HEAD has `.invalid`, and only git can tell the branch. */
const BRANCHES = {
  'ref: refs/heads/main': 'main',
  '0123abc': '',
  'ref: refs/heads/.invalid': 'feature/tea',
}

test('the branch is read from HEAD, or with git from reftables', async () => {
  const worktree = mkdtempSync(join(scratch, 'w-'))
  const linked = mkdtempSync(join(scratch, 'linked-'))
  const bin = mkdtempSync(join(scratch, 'bin-'))
  const fakeGit = '#!/bin/sh\ncase "$*" in *" symbolic-ref --short -q HEAD") echo feature/tea ;; esac\n'
  writeFileSync(join(bin, 'git'), fakeGit, { mode: 0o755 })
  writeFileAt(join(linked, '.git'), `gitdir: ${worktree}/.git/worktrees/a\n`)
  const writeHead = (path: string, text: string) => writeFileAt(join(worktree, '.git', path), text)
  const conditions = (await conditionsOf({ branches: ['x'] })).data!
  const branchIn = async (folder: string) =>
    (await factsOf(undefined, {}, [{ conditions }], { worktree: folder })).branch
  const { PATH } = process.env
  process.env['PATH'] = `${bin}${delimiter}${PATH}`
  try {
    for (const [head, branch] of Object.entries(BRANCHES)) {
      writeHead('HEAD', `${head}\n`)
      writeHead('worktrees/a/HEAD', `${head}\n`)
      expect([await branchIn(worktree), await branchIn(linked)]).toEqual([branch, branch])
    }
  } finally {
    process.env['PATH'] = PATH
  }
})
