import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { DiscoveredFiles, shownTo } from '../writing/shown-files.ts'
import { createDiscoverTool } from './discover-rules.ts'

const folder = scratchFolder()

test('a file that became a link to another while the person was asked is not read, nor is it known', async () => {
  const [asked, secret] = [join(folder, 'asked.md'), join(folder, 'secret.md')]
  for (const path of [asked, secret]) writeFileSync(path, `says ${path}`)
  const ask = async () => {
    rmSync(asked)
    symlinkSync(secret, asked)
  }
  const discovered = new DiscoveredFiles()
  const tool = createDiscoverTool({ description: '', directory: folder, discovered })
  const output = await toolOutput(tool, { files: 'asked.md' }, { directory: folder, worktree: folder, ask })
  expect(output).toContain('it leads to another file than a moment ago')
  expect(output).not.toContain(`says ${secret}`)
  expect(shownTo(discovered, 's').paths()).toEqual([])
})

test('names that git cannot be asked about cost neither the files nor the other notes', async () => {
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src', 'a.ts'), '')
  writeFileSync(join(folder, 'AGENTS.md'), 'Keep `src/\0.ts` small.\nKeep `src/gone.ts` small.\n')
  spawnSync('git', ['init', '-q'], { cwd: folder })
  const tool = createDiscoverTool({ description: '', directory: folder, discovered: new DiscoveredFiles() })
  const output = await toolOutput(tool, {}, { directory: folder, worktree: folder })
  expect(output).toContain('Keep `src/gone.ts` small.')
  expect(output).toContain('AGENTS.md line 2: `src/gone.ts`: not found')
})
