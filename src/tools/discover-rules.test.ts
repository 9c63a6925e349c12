import type { ToolContext } from '@opencode-ai/plugin'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiscoveredFiles, shownTo } from '../writing/discovered-files.ts'
import { createDiscoverTool } from './discover-rules.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-discover-')))
afterAll(() => rmSync(folder, { recursive: true }))

test('a link that leads elsewhere once the person has answered is not read, nor is it known', async () => {
  for (const name of ['asked.md', 'secret.md']) writeFileSync(join(folder, name), `says ${name}`)
  const link = join(folder, 'link.md')
  symlinkSync('asked.md', link)
  const ask = async () => {
    rmSync(link)
    symlinkSync('secret.md', link)
  }
  const discovered = new DiscoveredFiles()
  const tool = createDiscoverTool({ description: '', directory: folder, discovered })
  const context = { sessionID: 's', directory: folder, worktree: folder, ask } as unknown as ToolContext
  const answered = await tool.execute({ files: 'link.md' }, context)
  const output = typeof answered === 'string' ? answered : answered.output
  expect(output).not.toContain('says secret.md')
  expect(shownTo(discovered, 's').paths()).not.toContain(join(folder, 'secret.md'))
})
