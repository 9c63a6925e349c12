import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { instructionPaths } from './loaded-files.ts'

const folder = scratchFolder()
for (const path of ['rules/a.md', '.opencode/near.md']) writeFileAt(join(folder, path))

test.each([
  ['is a folder; name the files, as in "rules/*.md"', 'rules'],
  ['not next to the config file; ".opencode/near.md" would name', 'near.md'],
  ['no such file in', 'none.md'],
  ['no file matches in', 'none*.md'],
  ['only in the last part', join(folder, '*/a.md')],
  ['no file matches', join(folder, 'rules/*.txt')],
  ['it is not looked up: a pattern has at most 1000 characters', `${'a'.repeat(1_001)}*`],
])('an "instructions" entry that matches no file is listed with the reason: %s', async (reason, entry) => {
  const { unmatched } = await instructionPaths({ directory: folder, worktree: folder, instructions: [entry] })
  expect(unmatched).toEqual([{ entry, reason: expect.stringContaining(reason) }])
})
