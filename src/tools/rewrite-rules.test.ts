import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { findInstructions } from '../discover.ts'
import { ok } from '../safe.ts'
import { ShownFiles } from '../writing/shown-files.ts'
import { PipelineState } from './pipeline-state.ts'
import { rewriteFiles } from './rewrite-rules.ts'

const folder = scratchFolder()

test('a call that is stopped between two files says which was written and which was not', async () => {
  const paths = ['a.md', 'b.md', 'c.md'].map((name) => join(folder, name))
  for (const path of paths) writeFileSync(path, 'old\n')
  const stop = new AbortController()
  let asked = 0
  const session = new PipelineState().of('any')
  const rewrite = (messageID: string) =>
    rewriteFiles(
      {
        place: { directory: folder, worktree: folder },
        permissions: {
          toEnter: async () => ok(null),
          toEdit: async () => {
            asked += 1
            if (asked === 2) stop.abort()
            return ok(null)
          },
        },
        discovered: new ShownFiles(new Set(paths)),
        known: new ShownFiles(new Set(paths)),
        state: join(folder, 'state'),
        abort: stop.signal,
        session,
        messageID,
        find: () => findInstructions(folder),
      },
      { rules: ['- new'], mode: 'concise' },
      paths,
    )
  const question = await rewrite('one')
  expect(question.output).toMatch(/^Nothing was written: .*\n- `.*a\.md`: 1 line in no rule: `old`\n/)
  expect((await rewrite('one')).output).toBe(question.output)
  const { title, output } = await rewrite('two')
  expect(title).toBe('1 file, 1 rule')
  expect(output).toMatch(/^\| a\.md +\| Success +\|/m)
  for (const name of ['b.md', 'c.md']) {
    expect(output).toMatch(new RegExp(`^\\| ${name} +\\| Not written +\\|`, 'm'))
    expect(output).toContain(`Not written: ${join(folder, name)}: the call was stopped before this file`)
  }
  expect(asked).toBe(2)
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['- new\n', 'old\n', 'old\n'])
})
