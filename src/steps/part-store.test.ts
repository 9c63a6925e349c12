import { expect, test } from 'bun:test'
import type { Client } from '../host/client.ts'
import type { CompletedCall, History, MessagePart } from '../host/message-parts.ts'
import { PartStore } from './part-store.ts'

const call = (output: string) => {
  const state = { status: 'completed', output, metadata: {} }
  return { id: 'prt_2', messageID: 'msg', sessionID: 'ses', type: 'tool', state } as unknown as CompletedCall
}

const textPart = (id: string) => ({ id, messageID: 'msg', type: 'text' }) as MessagePart

/** The host has a message with the part `stored`, or none if that is undefined; it stores parts if `isStoring.now`. */
const createStore = (stored: CompletedCall | undefined, isStoring = { now: true }) => {
  const sent: Array<CompletedCall> = []
  const patch = async ({ body }: { body: CompletedCall }) => {
    sent.push(body)
    return isStoring.now ? { data: {} } : { error: 'it is full' }
  }
  const message = async () => ({ data: stored && { parts: [textPart('prt_1'), stored] } })
  const client = { _client: { patch }, session: { message } } as unknown as Client
  const logged: Array<string> = []
  const store = new PartStore(client, (_, words) => void logged.push(words))
  /** Inserts the changed parts into a request in which the part has an output; returns the output that it has then. */
  const outputIn = (output: string) => {
    const history = historyOf(textPart('prt_1'), call(output))
    store.insertChanged(history)
    return Object(history[0]!.parts[1]).state.output
  }
  return { store, sent, logged, isStoring, outputIn }
}

const stateWithNote = ({ state }: CompletedCall) => ({ ...state, output: `${state.output} noted` })
const historyOf = (...parts: Array<MessagePart>) => [{ info: { id: 'msg' }, parts }] as unknown as History

test('a part is changed in the request, the host, and later requests until it is forgotten', async () => {
  const { store, sent, outputIn } = createStore(call('all of it'))
  // Another plugin has shortened the output in the request.
  const part = call('cut')
  await store.change(part, stateWithNote)
  expect([part, ...sent].map(({ state }) => state.output)).toEqual(['cut noted', 'all of it noted'])
  expect(outputIn('all of it')).toBe('all of it noted')
  store.forgetStored('other')
  expect(outputIn('all of it')).toBe('all of it noted')
  store.forgetStored('ses')
  expect(outputIn('as stored')).toBe('as stored')
})

test('a part that cannot be stored is logged, and inserted into requests until it is stored', async () => {
  const { store, logged, isStoring, outputIn } = createStore(undefined, { now: false })
  const part = call('a')
  await store.change(part, stateWithNote)
  expect(logged).toEqual([expect.stringContaining('could not be stored: ')])
  for (const output of ['a', 'a again']) {
    store.forgetStored('ses')
    expect(outputIn(output)).toBe('a noted')
  }
  isStoring.now = true
  await store.change(part, stateWithNote)
  store.forgetStored('ses')
  expect(outputIn('b')).toBe('b')
})

test('in `opencode run`, changes are stored at the end; of 201, the oldest is stored before', async () => {
  process.argv.push('run')
  const { store, sent } = createStore(undefined)
  process.argv.pop()
  const ids = Array.from({ length: 201 }, (_, index) => `prt_${index}`)
  for (const id of ids) await store.change({ ...call('a'), id }, stateWithNote)
  const sentIds = () => sent.map(({ id }) => id)
  expect(sentIds()).toEqual(['prt_0'])
  await store.flush()
  expect(sentIds()).toEqual(ids)
})

test('a part is added in the order of ids, or replaces the part with its id', async () => {
  const { store, sent } = createStore(undefined)
  const history = historyOf(...['prt_1', 'prt_2', 'prt_4'].map(textPart))
  await store.add(history, textPart('prt_3'))
  const again = { ...textPart('prt_1'), text: 'again' } as MessagePart
  await store.add(history, again)
  expect(history[0]!.parts).toEqual([again, ...['prt_2', 'prt_3', 'prt_4'].map(textPart)])
  expect(sent.map(({ id }) => id)).toEqual(['prt_3', 'prt_1'])
  // A part whose message is not in the request is no error.
  await store.add(historyOf(), { ...again, messageID: 'gone' })
})
