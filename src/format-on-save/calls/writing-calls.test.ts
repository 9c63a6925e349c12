/** Tests which calls make SAT sure of what the model believes that a file contains (the belief). */
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { projectsIn } from '../../../test/harness/played-calls.ts'
import { scratchFolder } from '../../../test/harness/scratch.ts'
import { KnownFiles } from './known-files.ts'
import { WritingCalls } from './writing-calls.ts'

const start = projectsIn(scratchFolder())

/** Creates a project with `a\n` in `a.ts`, of which it is not sure what the model believes (`believed` is null). */
const startUnsure = () => {
  const { steps, path, write } = start('a\n')
  const filePath = path('a.ts')
  const knownFiles = new KnownFiles()
  knownFiles.recordRead('ses', { path: filePath, real: filePath, text: 'a\n' })
  const knownFile = () => knownFiles.of('ses').get(filePath)!
  knownFile().believed = null
  const formatter = { isFormatted: () => true, startCall: async () => () => {}, whenOf: () => 'save' }
  const calls = new WritingCalls({ knownFiles, formatter, steps } as never)
  const play = async (tool: string, args: object, changeFile: () => void) => {
    const hostCall = { tool, sessionID: 'ses', callID: 'call' }
    await calls.start(hostCall, { filePath, ...args })
    changeFile()
    await calls.finish(hostCall, { filePath, ...args })
  }
  return { calls, filePath, knownFile, play, write }
}

test.each<[tool: string, args: object, textAfter: string, believed: string | null]>([
  ['edit', { oldString: 'a', newString: 'b' }, 'b\n', null],
  ['apply_patch', { patchText: '*** Update File: a.ts\n@@\n+b' }, 'a\nb\n', null],
  ['write', { content: 'b\n' }, 'b\n', 'b\n'],
])('after `%s` with %j, which wrote %j, the unsure belief is %j', async (tool, args, textAfter, believed) => {
  const { knownFile, play, write } = startUnsure()
  await play(tool, args, () => write('a.ts', textAfter))
  expect(knownFile()).toMatchObject({ believed, state: 'written' })
})

test('a deletion is not recorded', async () => {
  const { filePath, knownFile, play } = startUnsure()
  await play('apply_patch', { patchText: '*** Delete File: a.ts' }, () => rmSync(filePath))
  expect(knownFile().state).toBe('known')
})

test('a read makes an unsure belief sure', async () => {
  const { calls, filePath, knownFile } = startUnsure()
  const output = '<content>\n1: a\n\n(End of file - total 1 lines)\n</content>'
  await calls.finishRead({ tool: 'read', sessionID: 'ses', callID: 'call' }, { filePath }, output)
  expect(knownFile()).toMatchObject({ believed: 'a\n', calls: [] })
})
