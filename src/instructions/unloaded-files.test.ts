import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { unloadedFiles } from './unloaded-files.ts'

test('the files of other agents are found from the session up to the root, each once and none that is loaded', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sat-unloaded-')))
  const files = [
    'AGENTS.md',
    '.windsurfrules',
    '.cursor/rules/b.mdc',
    '.cursor/rules/a.mdc',
    '.cursor/rules/x.txt',
  ]
  for (
    const path of [...files, 'in/CLAUDE.md', 'in/.github/copilot-instructions.md', 'in/deep/.cursorrules']
  ) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path)
  }
  symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'))
  symlinkSync('../CLAUDE.md', join(root, 'in/GEMINI.md'))
  const found = await unloadedFiles(join(root, 'in'), root, [join(root, 'AGENTS.md')])
  expect(found.map((path) => path.slice(root.length + 1))).toEqual([
    'in/CLAUDE.md',
    'in/.github/copilot-instructions.md',
    '.windsurfrules',
    '.cursor/rules/a.mdc',
    '.cursor/rules/b.mdc',
  ])
  rmSync(root, { recursive: true })
})
