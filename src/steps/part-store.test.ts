import { expect, test } from 'bun:test'
import type { Client } from '../host/client.ts'
import type { CompletedCall, History, MessagePart } from '../host/message-parts.ts'
import { PartStore } from './part-store.ts'

const call = (output: string) => {
  const state = { status: 'completed', output, metadata: {} }
  return { id: 'prt_2', messageID: 'msg', sessionID: 'ses', type: 'tool', state } as unknown as CompletedCall
}

const textPart = (id: string) => ({ id, messageID: 'msg', type: 'text' }) as MessagePart

/** The host has the part `stored`, or no message. While `isStoring.now` is false, it stores nothing. */
const start = (stored: CompletedCall | undefined, isStoring = { now: true }) => {
  const sent: Array<CompletedCall> = []
  const patch = async ({ body }: { body: CompletedCall }) => {
    sent.push(body)
    return isStoring.now ? { data: {} } : { error: 'it is full' }
  }
  const message = async () => ({ data: stored && { parts: [textPart('prt_1'), stored] } })
  const client = { _client: { patch }, session: { message } } as unknown as Client
  const logged: Array<string> = []
  const store = new PartStore(client, (_, words) => void logged.push(words))
  /** Returns the output of the part in a request after the insertion of changed parts. */
  const outputIn = (output: string) => {
    const history = historyOf(textPart('prt_1'), call(output))
    store.insertChanged(history)
    return Object(history[0]!.parts[1]).state.output
  }
  return { store, sent, logged, isStoring, outputIn }
}

const noted = ({ state }: CompletedCall) => ({ ...state, output: `${state.output} noted` })
const historyOf = (...parts: Array<MessagePart>) => [{ info: { id: 'msg' }, parts }] as unknown as History

test('a part is changed in the request and in the host, whose version may be longer', async () => {
  const { store, sent, outputIn } = start(call('all of it'))
  const part = call('cut')
  await store.change(part, noted)
  expect([part, ...sent].map(({ state }) => state.output)).toEqual(['cut noted', 'all of it noted'])
  expect(outputIn('all of it')).toBe('all of it noted')
  store.forgetStored('other')
  expect(outputIn('all of it')).toBe('all of it noted')
  store.forgetStored('ses')
  expect(outputIn('as stored')).toBe('as stored')
})

test('a part that cannot be stored is logged, and inserted into every request until it is stored', async () => {
  const { store, logged, isStoring, outputIn } = start(undefined, { now: false })
  const part = call('a')
  await store.change(part, noted)
  expect(logged).toEqual([expect.stringContaining('could not be stored: ')])
  for (const output of ['a', 'a again']) {
    store.forgetStored('ses')
    expect(outputIn(output)).toBe('a noted')
  }
  isStoring.now = true
  await store.change(part, noted)
  store.forgetStored('ses')
  expect(outputIn('b')).toBe('b')
})

test('in `opencode run`, changes are stored at the end, or when more than 200 wait for that', async () => {
  process.argv.push('run')
  const { store, sent } = start(undefined)
  process.argv.pop()
  const ids = Array.from({ length: 201 }, (_, index) => `prt_${index}`)
  for (const id of ids) await store.change({ ...call('a'), id }, noted)
  const sentIds = () => sent.map(({ id }) => id)
  expect(sentIds()).toEqual(['prt_0'])
  await store.flush()
  expect(sentIds()).toEqual(ids)
})

test('a part is added in the order of ids, or replaces the part with its id', async () => {
  const { store, sent } = start(undefined)
  const history = historyOf(...['prt_1', 'prt_2', 'prt_4'].map(textPart))
  await store.add(history, textPart('prt_3'))
  const again = { ...textPart('prt_1'), text: 'again' } as MessagePart
  await store.add(history, again)
  expect(history[0]!.parts).toEqual([again, ...['prt_2', 'prt_3', 'prt_4'].map(textPart)])
  expect(sent.map(({ id }) => id)).toEqual(['prt_3', 'prt_1'])
  await store.add(historyOf(), { ...again, messageID: 'gone' })
})
