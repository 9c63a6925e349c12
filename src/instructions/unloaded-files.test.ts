import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { unloadedFiles } from './unloaded-files.ts'

const root = scratchFolder()

test('the files of other agents are found, the nearest first', async () => {
  const files = [
    ...'AGENTS.md .windsurfrules .cursor/rules/b.mdc .cursor/rules/a.mdc .cursor/rules/x.txt'.split(' '),
    ...'in/CLAUDE.md in/.github/copilot-instructions.md in/deep/.cursorrules'.split(' '),
  ]
  for (const path of files) writeFileAt(join(root, path), path)
  symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'))
  symlinkSync('nowhere.md', join(root, 'GEMINI.md'))
  symlinkSync('../CLAUDE.md', join(root, 'in/GEMINI.md'))
  const found = await unloadedFiles(join(root, 'in'), root, [join(root, 'AGENTS.md')])
  expect(found.map((path) => path.slice(root.length + 1)).join(' ')).toBe(
    'in/CLAUDE.md in/.github/copilot-instructions.md .windsurfrules .cursor/rules/a.mdc .cursor/rules/b.mdc',
  )
})

test.each([
  ['agents.md', 'agents.md'],
  ['AGENT.md Agents.MD docs.md', 'AGENT.md Agents.MD'],
  ['Claude.md CLAUDE.local.md claude.txt', 'CLAUDE.local.md Claude.md'],
  ['AGENTS.md AGENTS.local.md agents.override.md', 'AGENTS.local.md agents.override.md'],
  ['agents.md/a.md context.md sub/agents.md my-agents.md', 'context.md'],
])(
  'of the files %s, those whose names resemble a loaded one are: %s',
  async (files, expected) => {
    const folder = scratchFolder()
    for (const path of files.split(' ')) writeFileAt(join(folder, path))
    const found = await unloadedFiles(folder, folder, [join(folder, 'AGENTS.md')])
    expect(found.map((path) => path.slice(folder.length + 1)).join(' ')).toBe(expected)
  },
)
