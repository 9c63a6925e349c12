import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { projectsIn } from '../../../test/harness/played-calls.ts'
import { scratchFolder } from '../../../test/harness/scratch.ts'
import { KnownFiles } from './known-files.ts'
import { trackWritingCalls } from './writing-calls.ts'

const start = projectsIn(scratchFolder())

const formatter = { hasCommand: () => true, startCall: async () => () => {}, whenOf: () => 'save' as const }

/** Creates a file for which SAT is not certain what text the model expects, so `believed` is null. */
const startUnsure = () => {
  const { steps, path, write } = start('a\n')
  const filePath = path('a.ts')
  const knownFiles = new KnownFiles({ directory: path(''), worktree: path('') }, formatter)
  knownFiles.recordRead('ses', { path: filePath, real: filePath, text: 'a\n' })
  const knownFile = () => knownFiles.of('ses').get(filePath)!
  knownFile().believed = null
  const calls = trackWritingCalls({ knownFiles, formatter, steps } as never)
  /** `changeFile` does what the host's tool does to the file. */
  const play = async (tool: string, args: object, changeFile: () => void) => {
    const hostCall = { tool, sessionID: 'ses', callID: 'call' }
    await calls.start(hostCall, { filePath, ...args })
    changeFile()
    await calls.finish(hostCall, { filePath, ...args })
  }
  return { calls, filePath, knownFile, play, write }
}

test.each<[tool: string, believed: string | null, args: object, textAfter: string]>([
  ['edit', null, { oldString: 'a', newString: 'b' }, 'b\n'],
  ['apply_patch', null, { patchText: '*** Update File: a.ts\n@@\n+b' }, 'a\nb\n'],
  ['write', 'b\n', { content: 'b\n' }, 'b\n'],
])('if `believed` was null before `%s`, it is %j afterwards', async (tool, believed, args, textAfter) => {
  const { knownFile, play, write } = startUnsure()
  await play(tool, args, () => write('a.ts', textAfter))
  expect(knownFile()).toMatchObject({ believed, state: 'written' })
})

test('if `believed` was null before `read`, it is the read text afterwards', async () => {
  const { calls, filePath, knownFile } = startUnsure()
  const output = '<content>\n1: a\n\n(End of file - total 1 lines)\n</content>'
  await calls.finishRead({ tool: 'read', sessionID: 'ses', callID: 'call' }, { filePath }, output)
  expect(knownFile()).toMatchObject({ believed: 'a\n', newCalls: [] })
})

test('a deletion is not recorded', async () => {
  const { filePath, knownFile, play } = startUnsure()
  await play('apply_patch', { patchText: '*** Delete File: a.ts' }, () => rmSync(filePath))
  expect(knownFile().state).toBe('known')
})
