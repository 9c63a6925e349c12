import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { unloadedFiles } from './unloaded-files.ts'

/** Lists the unloaded files in the folder `in` and above, in a project that loads only its `AGENTS.md`. */
const unloadedOf = async (files: string, links: Record<string, string> = {}): Promise<string> => {
  const root = scratchFolder()
  for (const path of files.split(' ')) writeFileAt(join(root, path))
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  const found = await unloadedFiles(join(root, 'in'), root, [join(root, 'AGENTS.md')])
  return found.map((path) => relative(root, path)).join(' ')
}

test.each([
  // Files of other agents
  ['in/deep/.cursorrules .windsurfrules in/CLAUDE.md', 'in/CLAUDE.md .windsurfrules'],
  ['.cursorrules in/.github/copilot-instructions.md', 'in/.github/copilot-instructions.md .cursorrules'],
  ['.cursor/rules/b.mdc .cursor/rules/a.mdc .cursor/rules/x.txt', '.cursor/rules/a.mdc .cursor/rules/b.mdc'],
  ['.clinerules .claude/CLAUDE.md .claude/rules/a.md', '.clinerules .claude/CLAUDE.md'],
  ['.clinerules/a.md .claude/settings.json', ''],
  // Names similar to `AGENTS.md` or `CLAUDE.md`
  ['agents.md', 'agents.md'],
  ['AGENT.md Agents.MD docs.md', 'AGENT.md Agents.MD'],
  ['Claude.md CLAUDE.local.md claude.txt', 'CLAUDE.local.md Claude.md'],
  ['AGENTS.md AGENTS.local.md agents.override.md', 'AGENTS.local.md agents.override.md'],
  ['AGENTS AGENTS.txt .agents.md', '.agents.md AGENTS AGENTS.txt'],
  // Names that are not similar enough, a folder `agents.md`, and a file in `sub`. Only `context.md` is listed.
  ['agents agent.txt gemini context.txt .context.md AGENTS.bak', ''],
  ['agents.md/a.md context.md sub/agents.md my-agents.md', 'context.md'],
])('files: %s → unloaded instruction files: %s', async (files, expected) => {
  expect(await unloadedOf(files)).toBe(expected)
})

test('broken links and links to the loaded AGENTS.md are not listed', async () => {
  const links = { 'CLAUDE.md': 'AGENTS.md', 'in/GEMINI.md': '../CLAUDE.md', 'GEMINI.md': 'nowhere.md' }
  expect(await unloadedOf('AGENTS.md in/CLAUDE.md', links)).toBe('in/CLAUDE.md')
})
