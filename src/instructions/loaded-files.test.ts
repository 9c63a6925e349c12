import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { instructionPaths } from './loaded-files.ts'

const folder = scratchFolder()
for (const path of ['rules/a.md', '.opencode/near.md']) writeFileAt(join(folder, path))

test.each([
  ['rules', 'is a folder; name the files, as in "rules/*.md"'],
  ['near.md', 'not next to the config file; ".opencode/near.md" would name'],
  ['none.md', 'no such file in'],
  ['none*.md', 'no file matches in'],
  [join(folder, '*/a.md'), 'only in the last part'],
  [join(folder, 'rules/*.txt'), 'no file matches'],
  [`${'a'.repeat(1_001)}*`, 'it is not looked up: a pattern has at most 1000 characters'],
])('the "instructions" entry %j matches no file: %s', async (entry, reason) => {
  const sources = { directory: folder, worktree: folder, instructions: [entry] }
  expect((await instructionPaths(sources)).unmatched).toEqual([{
    entry,
    reason: expect.stringContaining(reason),
  }])
})
