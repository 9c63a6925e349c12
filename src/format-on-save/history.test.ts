import { expect, test } from 'bun:test'
import { History, type Part, type StorePart } from './history.ts'

type ToolPart = Extract<Part, { type: 'tool' }>

const SENT = { filePath: '/p/x.js', content: 'x=1' }
const NOW = { filePath: '/p/x.js', content: 'x = 1' }

const partOf = (callID: string, input: Record<string, unknown>, ids: Partial<ToolPart> = {}): ToolPart => ({
  id: `part-${callID}`,
  sessionID: 'session',
  messageID: 'message',
  type: 'tool',
  tool: 'write',
  callID,
  state: { status: 'completed', input, output: '', title: '', metadata: {}, time: { start: 0, end: 1 } },
  ...ids,
})

const requestOf = (...parts: Array<Part>) =>
  [{ info: { id: 'message' }, parts }] as unknown as Parameters<History['apply']>[0]

const said = (messages: ReturnType<typeof requestOf>) =>
  messages.flatMap(({ parts }) => parts).map((
    part,
  ) => (part.type === 'tool' ? part.state.input['content'] : null))

const start = (outcome: () => Promise<void> = async () => {}) => {
  const stored: Array<ToolPart> = []
  const logged: Array<string> = []
  const store: StorePart = async (part) => {
    await outcome()
    stored.push(part)
  }
  const history = new History(store, (_, message) => void logged.push(message))
  history.add('call', 'session', SENT, { argument: 'content', value: 'x = 1' })
  return { history, stored, logged }
}

test('a correction is in the very next request, and only its argument changes', () => {
  const { history } = start()
  const messages = requestOf(partOf('other', SENT), partOf('call', SENT))
  history.apply(messages)
  expect(messages[0]!.parts).toEqual([partOf('other', SENT), partOf('call', NOW)])
})

test('it is stored once its part is complete, once, and forgotten when the history says it', async () => {
  const { history, stored } = start()
  await history.partUpdated({
    ...partOf('call', SENT),
    state: { status: 'running', input: SENT, time: { start: 0 } },
  })
  expect(stored).toEqual([])
  await history.partUpdated(partOf('call', SENT))
  await history.partUpdated(partOf('call', SENT))
  await history.partUpdated(partOf('call', NOW))
  expect(stored).toEqual([partOf('call', NOW)])
  // A request may have been read from the history just before.
  const late = requestOf(partOf('call', SENT))
  history.apply(late)
  expect(said(late)).toEqual(['x = 1'])
  expect(history.size).toBe(1)
  history.apply(requestOf(partOf('call', NOW)))
  expect(history.size).toBe(0)
})

test('a call that was ended while its file was formatted is corrected for good as well', async () => {
  const { history, stored } = start()
  const ended = partOf('call', SENT)
  const state = { status: 'error' as const, input: SENT, error: 'aborted', time: { start: 0, end: 1 } }
  history.apply(requestOf({ ...ended, state }))
  await Bun.sleep(0)
  expect(stored).toEqual([{ ...ended, state: { ...state, input: NOW } }])
})

test('a stored correction is forgotten when the session is at rest, one of another session is not', async () => {
  const { history } = start()
  await history.partUpdated(partOf('call', SENT))
  history.sessionIdle('other')
  expect(history.size).toBe(1)
  history.sessionIdle('session')
  expect(history.size).toBe(0)
})

test('where it cannot be stored it goes on being applied, to a fork as well, and is tried a few times', async () => {
  const { history, logged } = start(async () => {
    throw new Error('no such part')
  })
  for (let request = 0; request < 6; request += 1) {
    const messages = requestOf(partOf('call', SENT, { id: 'forked', sessionID: 'fork', messageID: 'copy' }))
    history.apply(messages)
    expect(said(messages)).toEqual(['x = 1'])
    await Bun.sleep(0)
  }
  history.sessionIdle('session')
  expect(history.size).toBe(1)
  expect(logged).toHaveLength(3)
  history.sessionDeleted('session')
  expect(history.size).toBe(0)
})

test.each<[string, Part]>([
  ['deleted', { id: 'text', sessionID: 'session', messageID: 'message', type: 'text', text: 'words' }],
  ['another call of the same id', partOf('call', { content: 'other' })],
  ['another call of the same id on another file', partOf('call', { ...SENT, filePath: '/p/y.txt' })],
  ['a call without the argument', partOf('call', {})],
])('a part that is %s stays as it is', (_, part) => {
  const { history } = start()
  const messages = requestOf(structuredClone(part))
  history.apply(messages)
  expect(messages[0]!.parts).toEqual([part])
})
