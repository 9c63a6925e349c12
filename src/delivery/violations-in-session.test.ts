import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { unresolvedIn } from './violations-in-session.ts'

test('if a line was reported twice, the lower `tolerated` count is used', async () => {
  const worktree = scratchFolder()
  writeFileSync(join(worktree, 'a.ts'), 'let a: any\n\nlet a: any\n\nlet a: any\n')
  // `tolerated` counts the equal lines that are older than the reported line. Line 1 is old. Line 3 was reported
  // (tolerated: line 1), then line 5 (tolerated: lines 1 and 3). Line 3 was fixed, came back and was reported again
  // (tolerated: lines 1 and 5).
  const reports = [[3, 1], [5, 2], [3, 2]].map(([line, tolerated]) => ({
    rule: 'no-any',
    path: 'a.ts',
    text: 'let a: any',
    line,
    tolerated,
  }))
  expect((await unresolvedIn(reports, { worktree })).map(({ line }) => line)).toEqual([3, 5])
})

test('if a line was reported twice, first without `tolerated`, the count 0 is used', async () => {
  const worktree = scratchFolder()
  writeFileSync(join(worktree, 'a.ts'), '\n\nlet a: any\n\nlet a: any\n')
  // Line 3 was reported, then line 5. Line 3 was fixed, came back and was reported again.
  const reports = [[3, undefined], [5, 1], [3, 1]].map(([line, tolerated]) => ({
    rule: 'no-any',
    path: 'a.ts',
    text: 'let a: any',
    line,
    tolerated,
  }))
  expect((await unresolvedIn(reports, { worktree })).map(({ line }) => line)).toEqual([3, 5])
})
