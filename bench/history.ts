/** The cost of a request in a long session, with all hooks of the plugin: rules, and files that are formatted. */
import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SAT from '../sat.ts'
import type { EntryPart, History } from '../src/host/message-parts.ts'
import { writeInto } from '../test/harness/host.ts'
import { type Bench, type Row, toRatio, toTime } from './measure.ts'

const FILES = 20
const RUNS = 15

const call = (tool: string, input: object): object => ({
  type: 'tool',
  tool,
  state: { status: 'completed', input, output: 'line\n'.repeat(100), title: '', metadata: {} },
})

/** A turn of six messages, one of them with an edit. */
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
    return { info, parts: [{ ...ids, ...part } as EntryPart] }
  }) as History

/** Starts the plugin in a folder with rules, for a host that stores nothing. */
const start = async (directory: string): Promise<Hooks> => {
  const done = async () => ({ data: {} })
  const client = {
    _client: { patch: done },
    app: { log: done },
    session: { messages: async () => ({ data: [] }), get: done, prompt: done },
  } as unknown as PluginInput['client']
  const input = { client, directory, worktree: directory } as unknown as PluginInput
  return await SAT(input, { format_on_save: { '*.js': 'true' } })
}

const request = async (hooks: Hooks, history: History): Promise<number> => {
  const messages = structuredClone(history)
  const begun = performance.now()
  await hooks['experimental.chat.messages.transform']?.({}, { messages })
  return performance.now() - begun
}

/** The first request of a resumed session, and the median of the next ones. */
const measure = async (edits: number): Promise<{ first: number; next: number }> => {
  const directory = mkdtempSync(join(tmpdir(), 'sat-bench-'))
  const names = Array.from({ length: FILES }, (_, index) => `file${index}.js`)
  writeInto(directory, {
    ...Object.fromEntries(names.map((name) => [name, 'a=1\n'])),
    '.opencode/rules/always.md': 'Be brief.\n',
    '.opencode/rules/js.md': '---\nglobs: "*.js"\n---\nUse const.\n',
  })
  // Files that were just written are read again until the disk's clock has advanced.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const [hooks, history] = [await start(directory), historyOf(directory, edits)]
  const first = await request(hooks, history)
  const times: Array<number> = []
  for (let run = 0; run < RUNS; run += 1) times.push(await request(hooks, history))
  rmSync(directory, { recursive: true })
  return { first, next: times.toSorted((one, other) => one - other)[RUNS >> 1]! }
}

const bench: Bench = async () => {
  await measure(1)
  const [short, long] = [await measure(1), await measure(300)]
  const row = (what: string, time: number, against: number): Row => ({
    what,
    size: '1,800 messages, 300 edits',
    figure: toTime(time),
    against: `6 messages, 1 edit ${toTime(against)}`,
    ratio: toRatio(time, against),
  })
  return [
    row('a request of a long session', long.next, short.next),
    row('its first request after a restart', long.first, short.first),
  ]
}

export default bench
