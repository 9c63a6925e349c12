/** Tests when SAT is sure again of what the model believes that a file contains. */
import { expect, test } from 'bun:test'
import { projectsIn } from '../../../test/harness/played-calls.ts'
import { scratchFolder } from '../../../test/harness/scratch.ts'
import { KnownFiles } from './known-files.ts'
import { WritingCalls } from './writing-calls.ts'

const start = projectsIn(scratchFolder())

test.each<[tool: string, args: object, written: string, believed: string | null]>([
  ['edit', { oldString: 'a', newString: 'b' }, 'b\n', null],
  ['apply_patch', { patchText: '*** Update File: a.ts\n@@\n+b' }, 'a\nb\n', null],
  ['write', { content: 'b\n' }, 'b\n', 'b\n'],
])(
  'an unsure belief becomes sure only by a call that writes the whole file: %s',
  async (tool, args, written, believed) => {
    const { steps, path, write } = start('a\n')
    const knownFiles = new KnownFiles()
    const filePath = path('a.ts')
    knownFiles.recordRead('ses', { path: filePath, real: filePath, text: 'a\n' })
    const knownFile = () => knownFiles.of('ses').get(filePath)!
    knownFile().believed = null
    const formatter = { isFormatted: () => true, startCall: async () => () => {} }
    const calls = new WritingCalls({ knownFiles, formatter, steps } as never)
    const hostCall = { tool, sessionID: 'ses', callID: 'call' }
    await calls.start(hostCall, { filePath, ...args })
    write('a.ts', written)
    await calls.finish(hostCall, { filePath, ...args })
    expect(knownFile().believed).toBe(believed)
  },
)
