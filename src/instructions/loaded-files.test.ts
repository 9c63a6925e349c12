import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { whyUnmatched } from './loaded-files.ts'

const folder = scratchFolder()
for (const path of ['rules/a.md', '.opencode/near.md']) writeFileAt(join(folder, path))

test.each([
  ['rules', 'is a folder; name the files, as in "rules/*.md"'],
  ['near.md', 'not next to the config file; ".opencode/near.md" would name'],
  ['none.md', 'no such file in'],
  ['none*.md', 'no file matches in'],
  [join(folder, '*/a.md'), 'only in the last part'],
  [join(folder, 'rules/*.txt'), 'no file matches'],
])('the "instructions" entry %j matches no file: %s', async (entry, reason) => {
  expect(await whyUnmatched(entry, [folder])).toContain(reason)
})
