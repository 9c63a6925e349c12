import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { unloadedFiles } from './unloaded-files.ts'

/** Writes files to a project that loads only its `AGENTS.md`, and finds the files not loaded for its folder `in`. */
const unloadedOf = async (files: string, links: Record<string, string> = {}): Promise<string> => {
  const root = scratchFolder()
  for (const path of files.split(' ')) writeFileAt(join(root, path))
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  const found = await unloadedFiles(join(root, 'in'), root, [join(root, 'AGENTS.md')])
  return found.map((path) => relative(root, path)).join(' ')
}

test.each([
  ['in/deep/.cursorrules .windsurfrules in/CLAUDE.md', 'in/CLAUDE.md .windsurfrules'],
  ['.cursor/rules/b.mdc .cursor/rules/a.mdc .cursor/rules/x.txt', '.cursor/rules/a.mdc .cursor/rules/b.mdc'],
  ['.cursorrules in/.github/copilot-instructions.md', 'in/.github/copilot-instructions.md .cursorrules'],
  ['agents.md', 'agents.md'],
  ['AGENT.md Agents.MD docs.md', 'AGENT.md Agents.MD'],
  ['Claude.md CLAUDE.local.md claude.txt', 'CLAUDE.local.md Claude.md'],
  ['AGENTS.md AGENTS.local.md agents.override.md', 'AGENTS.local.md agents.override.md'],
  ['agents.md/a.md context.md sub/agents.md my-agents.md', 'context.md'],
])('of %s, the unloaded instruction files, the nearest first, are: %s', async (files, expected) => {
  expect(await unloadedOf(files)).toBe(expected)
})

test('links to a loaded file and broken links are not listed', async () => {
  const links = { 'CLAUDE.md': 'AGENTS.md', 'in/GEMINI.md': '../CLAUDE.md', 'GEMINI.md': 'nowhere.md' }
  expect(await unloadedOf('AGENTS.md in/CLAUDE.md', links)).toBe('in/CLAUDE.md')
})
