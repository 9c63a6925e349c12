import type { ToolContext } from '@opencode-ai/plugin'
import { beforeEach, expect, test } from 'bun:test'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchWithState, writeFileAt } from '../../test/harness/scratch.ts'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { SessionStates } from '../tools/pipeline-state.ts'
import { createDiscoverTool, createRewriteTool } from '../tools/rules.ts'

const folder = scratchWithState()
const PATHS = ['a.md', 'b.md', 'c.md'].map((name) => join(folder, name))
beforeEach(() => PATHS.forEach((path) => writeFileAt(path, 'old\n')))

type AskOfHost = ToolContext['ask']

const contextWith = (ask: AskOfHost | undefined, more: Partial<ToolContext> = {}): ToolContext =>
  ({ sessionID: 'one', agent: 'build', directory: folder, worktree: folder, ask, ...more }) as ToolContext

/** Rewrites whole files. If the first answer only asks for confirmation, sends the call again. */
const rewrite = async (context: ToolContext, files = PATHS): Promise<string> => {
  const discovered = new Set([...PATHS, ...files])
  const options = { description: '', directory: folder, discovered, sessions: new SessionStates() }
  const call = () =>
    toolOutput(createRewriteTool(options), { rules: ['- new'], files, mode: 'concise' }, context)
  const first = await call()
  return first.startsWith('Nothing was written: rules without sources') ? call() : first
}

const texts = () => PATHS.map((path) => readFileSync(path, 'utf8').trim())

const errorOf = (name: string) => Object.assign(new Error('as the host says it'), { name })

const throwingForB = (thrown: unknown): AskOfHost => async ({ patterns }) => {
  if (patterns.includes('b.md')) throw thrown
}

test.each<[cause: string, textsAfter: string, thrown: Error, reason: string]>([
  ['a refusal by the config', '- new,old,- new', errorOf('PermissionDeniedError'), 'permission refused'],
  ['a refusal by the person', '- new,old,old', errorOf('PermissionRejectedError'), 'earlier question'],
  ['a refusal with a message', '- new,old,old', errorOf('PermissionCorrectedError'), 'earlier question'],
  ['a lost connection', '- new,old,- new', new TypeError('fetch failed'), 'could not be asked for'],
])('after %s at the second of three files, their texts are: %s', async (_, textsAfter, thrown, reason) => {
  expect(await rewrite(contextWith(throwingForB(thrown)))).toContain(reason)
  expect(texts().join()).toBe(textsAfter)
})

test('if no file can be read, discover-rules throws the first refusal, even after a lost connection', async () => {
  const tool = createDiscoverTool({ description: '', directory: folder, sessions: new SessionStates() })
  const thrown = [new TypeError('fetch failed'), errorOf('PermissionDeniedError')]
  const context = contextWith(() => Promise.reject(thrown.shift()))
  await expect(toolOutput(tool, { files: PATHS.slice(0, 2) }, context)).rejects.toThrow('as the host says it')
})

test('even if nothing was written, a lost connection is reported and not thrown', async () => {
  const lost = () => Promise.reject(new TypeError('fetch failed'))
  expect(await rewrite(contextWith(lost))).toContain('permission could not be asked for: fetch failed')
  expect(texts()).toEqual(['old', 'old', 'old'])
})

test('a question about a link names its path, its path with linked folders resolved, and its target', async () => {
  symlinkSync('a.md', join(folder, 'link.md'))
  writeFileAt(join(folder, 'sub/x.md'))
  symlinkSync('../a.md', join(folder, 'sub/link.md'))
  symlinkSync('sub', join(folder, 'dir'))
  const questions: Array<Array<string>> = []
  const context = contextWith(async ({ patterns }) => void questions.push(patterns))
  for (const name of ['link.md', 'a.md', 'dir/link.md']) {
    writeFileAt(join(folder, 'a.md'), 'old\n')
    expect(await rewrite(context, [join(folder, name)])).toContain('1/1')
  }
  // If nothing would change, nothing is asked.
  expect(await rewrite(context, [join(folder, 'a.md')])).toContain('a.md: it already contains these rules.')
  expect(questions).toEqual([['a.md', 'link.md'], ['a.md'], ['a.md', 'dir/link.md', 'sub/link.md']])
})

test('a change outside the project needs permission for each folder', async () => {
  const files = ['a.md', 'b.md', 'below/d.md'].map((name) => join(folder, name))
  writeFileAt(join(folder, 'below/d.md'), 'old\n')
  const folders: Array<string> = []
  const project = join(folder, 'project')
  const context = contextWith(async ({ permission, patterns }) => {
    if (permission !== 'external_directory') return
    folders.push(...patterns)
    if (patterns[0]?.includes('below')) throw errorOf('PermissionDeniedError')
  }, { directory: project, worktree: project })
  expect(await rewrite(context, files)).toContain('2/3')
  expect(folders).toEqual([`${folder}/*`, `${folder}/below/*`])
})

test('without a host to ask, all agents but the plan agent may write', async () => {
  await expect(rewrite(contextWith(undefined, { agent: 'plan' }))).rejects.toThrow('nobody to ask')
  expect(await rewrite(contextWith(undefined))).toContain('3/3')
})
