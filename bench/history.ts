/** Measures the time that SAT adds to a request of a long session with rules and formatted files. */
import type { Hooks } from '@opencode-ai/plugin'
import { join } from 'node:path'
import type { History, MessagePart } from '../src/host/message-parts.ts'
import { writeInto } from '../test/harness/host.ts'
import { startPlugin } from '../test/harness/in-process.ts'
import { type Bench, inFolder, medianOfRuns, timeOf, toRow } from './measure.ts'

const FILES = 20

const call = (tool: string, input: object): object => ({
  type: 'tool',
  tool,
  state: { status: 'completed', input, output: 'line\n'.repeat(100), title: '', metadata: {} },
})

const turn = (directory: string, index: number): Array<[role: 'user' | 'assistant', part: object]> => {
  const filePath = join(directory, `file${index % FILES}.js`)
  return [
    ['user', { type: 'text', text: `Change value ${index} in file${index % FILES}.js, please. `.repeat(5) }],
    ['assistant', call('read', { filePath })],
    ['assistant', call('edit', { filePath, oldString: `a${index}=1`, newString: `a${index}=2` })],
    ['assistant', call('grep', { pattern: 'value' })],
    ['assistant', call('bash', { command: 'true' })],
    ['assistant', { type: 'text', text: 'It is changed.' }],
  ]
}

const historyOf = (directory: string, edits: number): History =>
  Array.from({ length: edits }, (_, index) => turn(directory, index)).flat().map(([role, part], index) => {
    const ids = { id: `prt_${index}`, sessionID: 'ses', messageID: `msg_${index}`, callID: `call_${index}` }
    const info = { id: `msg_${index}`, role, sessionID: 'ses', agent: 'build', time: { created: index } }
    return { info, parts: [{ ...ids, ...part } as MessagePart] }
  }) as History

const timeOfRequest = (hooks: Hooks, history: History): Promise<number> => {
  const messages = structuredClone(history)
  return timeOf(() => hooks['experimental.chat.messages.transform']?.({}, { messages }))
}

const timesOfSession = (edits: number) =>
  inFolder(async (directory): Promise<{ first: number; next: number }> => {
    const names = Array.from({ length: FILES }, (_, index) => `file${index}.js`)
    writeInto(directory, {
      ...Object.fromEntries(names.map((name) => [name, 'a=1\n'])),
      '.opencode/rules/always.md': 'Be brief.\n',
      '.opencode/rules/js.md': '---\nglobs: "*.js"\n---\nUse const.\n',
    })
    // For 50 ms after a rule file was written, each request reads the file again.
    await Bun.sleep(100)
    const hooks = await startPlugin({ directory }, { format_on_save: { '*.js': 'true' } })
    const history = historyOf(directory, edits)
    const first = await timeOfRequest(hooks, history)
    return { first, next: await medianOfRuns(15, () => timeOfRequest(hooks, history)) }
  })

const bench: Bench = async () => {
  // The first run loads modules.
  await timesOfSession(1)
  const short = await timesOfSession(1)
  const long = await timesOfSession(300)
  const size = '1,800 messages, 300 edits'
  const baseline = '6 messages, 1 edit'
  return [
    toRow({ label: 'a request of a long session', size, baseline }, long.next, short.next),
    toRow({ label: 'the first request after a restart', size, baseline }, long.first, short.first),
  ]
}

export default bench
