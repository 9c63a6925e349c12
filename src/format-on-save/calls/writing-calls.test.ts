/** Tests which calls make SAT sure of what the model believes that a file contains (the belief). */
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { projectsIn } from '../../../test/harness/played-calls.ts'
import { scratchFolder } from '../../../test/harness/scratch.ts'
import { KnownFiles } from './known-files.ts'
import { WritingCalls } from './writing-calls.ts'

const start = projectsIn(scratchFolder())

/** Creates a project in which it is not sure what the model believes that `a.ts` contains. */
const startUnsure = () => {
  const { steps, path, write } = start('a\n')
  const filePath = path('a.ts')
  const knownFiles = new KnownFiles()
  knownFiles.recordRead('ses', { path: filePath, real: filePath, text: 'a\n' })
  const knownFile = () => knownFiles.of('ses').get(filePath)!
  knownFile().believed = null
  const formatter = { isFormatted: () => true, startCall: async () => () => {}, whenOf: () => 'save' }
  const calls = new WritingCalls({ knownFiles, formatter, steps } as never)
  return { calls, filePath, knownFile, write }
}

test.each<[what: string, tool: string, args: object, written: string | null, after: object]>([
  ['an edit', 'edit', { oldString: 'a', newString: 'b' }, 'b\n', { believed: null, state: 'written' }],
  ['a patch', 'apply_patch', { patchText: '*** Update File: a.ts\n@@\n+b' }, 'a\nb\n', { believed: null }],
  ['a write', 'write', { content: 'b\n' }, 'b\n', { believed: 'b\n' }],
  ['a deletion, which is not recorded', 'apply_patch', { patchText: '*** Delete File: a.ts' }, null, {
    state: 'known',
  }],
])('no change but a write makes an unsure belief sure: %s', async (_, tool, args, written, after) => {
  const { calls, filePath, knownFile, write } = startUnsure()
  const hostCall = { tool, sessionID: 'ses', callID: 'call' }
  await calls.start(hostCall, { filePath, ...args })
  if (written === null) rmSync(filePath)
  else write('a.ts', written)
  await calls.finish(hostCall, { filePath, ...args })
  expect(knownFile()).toMatchObject(after)
})

test('a read makes an unsure belief sure', async () => {
  const { calls, filePath, knownFile } = startUnsure()
  const output = '<content>\n1: a\n\n(End of file - total 1 lines)\n</content>'
  await calls.finishRead({ tool: 'read', sessionID: 'ses', callID: 'call' }, { filePath }, output)
  expect(knownFile()).toMatchObject({ believed: 'a\n', calls: [] })
})
