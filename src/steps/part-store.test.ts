import { expect, test } from 'bun:test'
import type { Client } from '../host/client.ts'
import type { CompletedCall, History, MessagePart } from '../host/message-parts.ts'
import { PartStore } from './part-store.ts'

const call = (output: string) => {
  const state = { status: 'completed', output, metadata: {} }
  return { id: 'prt_2', messageID: 'msg', sessionID: 'ses', type: 'tool', state } as unknown as CompletedCall
}

const textPart = (id: string) => ({ id, messageID: 'msg', type: 'text' }) as MessagePart

const createStore = (inHost?: CompletedCall) => {
  const host = { isFull: false }
  const sent: Array<CompletedCall> = []
  const patch = async ({ body }: { body: CompletedCall }) => {
    sent.push(body)
    return host.isFull ? { error: 'it is full' } : { data: {} }
  }
  const message = async () => ({ data: inHost && { parts: [textPart('prt_1'), inHost] } })
  const client = { _client: { patch }, session: { message } } as unknown as Client
  const logged: Array<string> = []
  const store = new PartStore(client, (_, words) => void logged.push(words))
  /** Inserts the changed parts into a request with `call(output)`, and returns the new output of this call. */
  const outputInRequest = (output: string) => {
    const history = historyOf(textPart('prt_1'), call(output))
    store.insertChanged(history)
    return Object(history[0]!.parts[1]).state.output
  }
  return { store, sent, logged, host, outputInRequest }
}

const addNote = ({ state }: CompletedCall) => ({ ...state, output: `${state.output} noted` })
const historyOf = (...parts: Array<MessagePart>) => [{ info: { id: 'msg' }, parts }] as unknown as History

test('a change to a part is made in the request and in the host; later requests get it until it is forgotten', async () => {
  const { store, sent, outputInRequest } = createStore(call('all of it'))
  // Another plugin has shortened the output in the request.
  const inRequest = call('cut')
  await store.change(inRequest, addNote)
  expect([inRequest, ...sent].map(({ state }) => state.output)).toEqual(['cut noted', 'all of it noted'])
  store.forgetStored('other')
  expect(outputInRequest('all of it')).toBe('all of it noted')
  store.forgetStored('ses')
  expect(outputInRequest('as stored')).toBe('as stored')
})

test('a part that cannot be stored is logged, and inserted into requests until it is stored', async () => {
  const { store, logged, host, outputInRequest } = createStore()
  host.isFull = true
  const part = call('a')
  await store.change(part, addNote)
  expect(logged).toEqual([expect.stringContaining('could not be stored: ')])
  for (const output of ['a', 'a again']) {
    store.forgetStored('ses')
    expect(outputInRequest(output)).toBe('a noted')
  }
  host.isFull = false
  await store.change(part, addNote)
  store.forgetStored('ses')
  expect(outputInRequest('b')).toBe('b')
})

test('in `opencode run`, a change is stored by `flush`, or when 200 more parts have changed', async () => {
  process.argv.push('run')
  const { store, sent } = createStore()
  process.argv.pop()
  const ids = Array.from({ length: 201 }, (_, index) => `prt_${index}`)
  for (const id of ids) await store.change({ ...call('a'), id }, addNote)
  const sentIds = () => sent.map(({ id }) => id)
  expect(sentIds()).toEqual(['prt_0'])
  await store.flush()
  expect(sentIds()).toEqual(ids)
})

test('a part is added in the order of ids, or replaces the part with the same id', async () => {
  const { store, sent } = createStore()
  const history = historyOf(textPart('prt_1'), textPart('prt_2'), textPart('prt_4'))
  await store.add(history, textPart('prt_3'))
  const changed = { ...textPart('prt_1'), text: 'changed' } as MessagePart
  await store.add(history, changed)
  expect(history[0]!.parts).toEqual([changed, textPart('prt_2'), textPart('prt_3'), textPart('prt_4')])
  expect(sent.map(({ id }) => id)).toEqual(['prt_3', 'prt_1'])
  // A part whose message is not in the request causes no error.
  await store.add(historyOf(), { ...changed, messageID: 'gone' })
})
