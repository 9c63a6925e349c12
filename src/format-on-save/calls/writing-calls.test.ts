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
  'only a call that writes the whole file makes an unsure belief sure: %s',
  async (tool, args, written, believed) => {
    const { steps, path, write } = start('a\n')
    const [file, knownFiles] = [{ path: path('a.ts'), real: path('a.ts'), text: 'a\n' }, new KnownFiles()]
    knownFiles.recordRead('ses', file)
    const knownFile = () => knownFiles.of('ses').get(file.real)!
    knownFile().believed = null
    const formatter = { isFormatted: () => true, startCall: async () => () => {} }
    const calls = new WritingCalls({ knownFiles, formatter, steps } as never)
    const hostCall = { tool, sessionID: 'ses', callID: 'call' }
    await calls.start(hostCall, { filePath: file.path, ...args })
    write('a.ts', written)
    await calls.finish(hostCall, { filePath: file.path, ...args })
    expect(knownFile().believed).toBe(believed)
  },
)
