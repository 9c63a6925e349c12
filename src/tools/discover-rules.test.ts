import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { createDiscoverTool } from './discover-rules.ts'
import { SessionStates } from './pipeline-state.ts'

const folder = scratchFolder()

const discoverIn = (files: Record<string, string>, config = () => ({})) => {
  const directory = mkdtempSync(join(folder, 'project-'))
  for (const [name, text] of Object.entries(files)) writeFileAt(join(directory, name), text)
  const sessions = new SessionStates()
  const tool = createDiscoverTool({ description: '', directory, sessions, config })
  return {
    directory,
    discover: (files?: string, context: Partial<ToolContext> = {}) =>
      toolOutput(tool, { files }, { directory, worktree: directory, ...context }),
    shown: () => sessions.of('s').shown.paths().map((path) => path.slice(directory.length + 1)),
  }
}

test('if a file becomes a link while the person is asked, it is not read', async () => {
  const { directory, discover, shown } = discoverIn({ 'asked.md': 'says this', 'secret.md': 'the secret' })
  const ask = async () => {
    rmSync(join(directory, 'asked.md'))
    symlinkSync('secret.md', join(directory, 'asked.md'))
  }
  const output = await discover('asked.md', { ask })
  expect(output).toContain('it leads to another file than a moment ago')
  expect(output).not.toContain('the secret')
  expect(shown()).toEqual([])
})

test('if git cannot check a name because of a null character, other names are still checked', async () => {
  const text = 'Keep `src/\0.ts` small.\nKeep `src/gone.ts` small.\n'
  const { directory, discover } = discoverIn({ 'src/a.ts': '', 'AGENTS.md': text })
  spawnSync('git', ['init', '-q'], { cwd: directory })
  const output = await discover()
  expect(output).toContain('Keep `src/gone.ts` small.')
  expect(output).toContain('AGENTS.md line 2: `src/gone.ts`: not found')
})

test('a pattern that matches more than 200 files is refused', async () => {
  const names = ['first', ...Array.from({ length: 200 }, (_, index) => `other-${index}`)]
  const { discover, shown } = discoverIn(Object.fromEntries(names.map((name) => [`${name}.md`, 'a line'])))
  expect(await discover('*.md')).toContain('it matches 201 files, more than 200')
  expect(shown()).toEqual([])
  await discover('other-*.md')
  expect(shown()).toHaveLength(200)
})

test.each<[agent: string, config: object, isWarned: boolean]>([
  ['plan', {}, true],
  ['plan', { permission: { bash: { '*': 'ask' } } }, true],
  ['plan', { permission: { edit: 'allow' } }, false],
  ['plan', { permission: 'allow' }, false],
  ['plan', { agent: { plan: { permission: 'allow' } } }, false],
  ['plan', { agent: { plan: { permission: { '*': 'allow' } } } }, false],
  ['build', {}, false],
])('the agent %s with the config %j is warned that it may not edit: %j', async (agent, config, isWarned) => {
  const { discover } = discoverIn({ 'a.md': 'Use tabs.\n' }, () => config)
  expect((await discover('a.md', { agent })).includes('The plan agent may not edit files')).toBe(isWarned)
})
