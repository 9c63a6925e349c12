import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { whyUnmatched } from './unmatched-entry.ts'

const folder = scratchFolder()
for (const path of ['rules/a.md', '.opencode/near.md', '[id].md', 'dots/.x.md']) {
  writeFileAt(join(folder, path))
}

test.each([
  [' ', 'it is empty'],
  ['rules', 'is a folder; name the files, as in "rules/*.md"'],
  ['[id].md', 'takes the brackets or braces in its name for a pattern'],
  ['near.md', 'not next to the config file; ".opencode/near.md" would name'],
  ['none.md', 'no such file in'],
  ['none*.md', 'no file matches in'],
  [join(folder, '*/a.md'), 'only in the last part'],
  [join(folder, 'dots/*.md'), 'matches no file whose name starts with a dot'],
  [join(folder, 'rules/*.txt'), 'no file matches'],
])('%j matches nothing: %s', async (entry, reason) => {
  expect(await whyUnmatched(entry, [folder])).toContain(reason)
})
