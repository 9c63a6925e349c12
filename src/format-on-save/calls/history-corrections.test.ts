import { expect, test } from 'bun:test'
import { Corrections, type Part, type StorePart } from './history-corrections.ts'

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
  [{ info: { id: 'message' }, parts }] as unknown as Parameters<Corrections['apply']>[0]

const said = (messages: ReturnType<typeof requestOf>) =>
  messages.flatMap(({ parts }) => parts).map((
    part,
  ) => (part.type === 'tool' ? part.state.input['content'] : null))

/** Waits for what an earlier step began; a test that waits in vain runs out of time. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(1)
}

const start = (outcome: () => Promise<void> = async () => {}) => {
  const stored: Array<ToolPart> = []
  const logged: Array<string> = []
  const store: StorePart = async (part) => {
    await outcome()
    stored.push(part)
  }
  const corrections = new Corrections(store, (_, message) => void logged.push(message))
  corrections.add('call', 'session', SENT, { argument: 'content', value: 'x = 1' })
  return { corrections, stored, logged }
}

test('a correction is in the very next request, and only its argument changes', () => {
  const { corrections } = start()
  const messages = requestOf(partOf('other', SENT), partOf('call', SENT))
  corrections.apply(messages)
  expect(messages[0]!.parts).toEqual([partOf('other', SENT), partOf('call', NOW)])
})

test('it is stored once its part is complete, once, and forgotten when the history says it', async () => {
  const { corrections, stored } = start()
  await corrections.partUpdated({
    ...partOf('call', SENT),
    state: { status: 'running', input: SENT, time: { start: 0 } },
  })
  expect(stored).toEqual([])
  await corrections.partUpdated(partOf('call', SENT))
  await corrections.partUpdated(partOf('call', SENT))
  await corrections.partUpdated(partOf('call', NOW))
  expect(stored).toEqual([partOf('call', NOW)])
  // A request may have been read from the history just before.
  const late = requestOf(partOf('call', SENT))
  corrections.apply(late)
  expect(said(late)).toEqual(['x = 1'])
  expect(corrections.size).toBe(1)
  corrections.apply(requestOf(partOf('call', NOW)))
  expect(corrections.size).toBe(0)
})

test('a call that was ended while its file was formatted is corrected for good as well', async () => {
  const { corrections, stored } = start()
  const ended = partOf('call', SENT)
  const state = { status: 'error' as const, input: SENT, error: 'aborted', time: { start: 0, end: 1 } }
  corrections.apply(requestOf({ ...ended, state }))
  await until(() => stored.length > 0)
  expect(stored).toEqual([{ ...ended, state: { ...state, input: NOW } }])
})

test('a stored correction is forgotten when the session is at rest, one of another session is not', async () => {
  const { corrections } = start()
  await corrections.partUpdated(partOf('call', SENT))
  corrections.sessionIdle('other')
  expect(corrections.size).toBe(1)
  corrections.sessionIdle('session')
  expect(corrections.size).toBe(0)
})

test('where it cannot be stored it goes on being applied, to a fork as well, and is tried a few times', async () => {
  const { corrections, logged } = start(async () => {
    throw new Error('no such part')
  })
  for (let request = 0; request < 6; request += 1) {
    const messages = requestOf(partOf('call', SENT, { id: 'forked', sessionID: 'fork', messageID: 'copy' }))
    corrections.apply(messages)
    expect(said(messages)).toEqual(['x = 1'])
    await until(() => logged.length === Math.min(request + 1, 3))
  }
  corrections.sessionIdle('session')
  expect(corrections.size).toBe(1)
  expect(logged).toHaveLength(3)
  corrections.sessionDeleted('session')
  expect(corrections.size).toBe(0)
})

test.each<[string, Part]>([
  ['deleted', { id: 'text', sessionID: 'session', messageID: 'message', type: 'text', text: 'words' }],
  ['another call of the same id', partOf('call', { content: 'other' })],
  ['another call of the same id on another file', partOf('call', { ...SENT, filePath: '/p/y.txt' })],
  ['a call without the argument', partOf('call', {})],
])('a part that is %s stays as it is', (_, part) => {
  const { corrections } = start()
  const messages = requestOf(structuredClone(part))
  corrections.apply(messages)
  expect(messages[0]!.parts).toEqual([part])
})

test('two sessions whose calls have the same id and say the same are each corrected', () => {
  const { corrections } = start()
  corrections.add('call', 'other', SENT, { argument: 'content', value: 'x  =  1' })
  const messages = requestOf(partOf('call', SENT), partOf('call', SENT, { sessionID: 'other' }))
  corrections.apply(messages)
  expect(said(messages)).toEqual(['x = 1', 'x  =  1'])
})

test('calls of one session with the same id that say the same are each corrected, the first stored already', () => {
  const { corrections } = start()
  const messages = requestOf(partOf('call', NOW), partOf('call', SENT, { id: 'later' }))
  corrections.apply(messages)
  expect(said(messages)).toEqual(['x = 1', 'x = 1'])
})

test('calls of one session with the same id that say different things are each corrected', () => {
  const { corrections } = start()
  corrections.add('call', 'session', { ...SENT, content: 'y=1' }, { argument: 'content', value: 'y = 1' })
  const messages = requestOf(partOf('call', SENT), partOf('call', { ...SENT, content: 'y=1' }))
  corrections.apply(messages)
  expect(said(messages)).toEqual(['x = 1', 'y = 1'])
})

test('a call that is corrected again is so whatever of it is stored', async () => {
  const { corrections, stored } = start()
  await corrections.partUpdated(partOf('call', SENT))
  corrections.add('call', 'session', NOW, { argument: 'content', value: 'x = 1;' })
  const messages = requestOf(partOf('call', SENT), partOf('call', NOW))
  corrections.apply(messages)
  expect(said(messages)).toEqual(['x = 1;', 'x = 1;'])
  await until(() => stored.length === 2)
  expect(stored.at(-1)?.state.input['content']).toBe('x = 1;')
  expect(corrections.size).toBe(1)
})

test('a file that is told of twice behind one call is to be read again; readings of other sessions are not told', () => {
  const { corrections } = start()
  const input = { filePath: '/p/x.js' }
  const reading = (sessionID: string) => partOf('read', input, { tool: 'read', sessionID })
  for (const [path, note] of [['x', 'x: 1'], ['y', 'y: 1'], ['x', 'x: 2']] as const) {
    corrections.tell({ callID: 'read', tool: 'read', input }, 'session', {
      path,
      note,
      again: `read ${path}`,
    })
  }
  const messages = requestOf(reading('session'), reading('other'))
  corrections.apply(messages)
  const outputs = messages[0]!.parts.map((part) =>
    part.type === 'tool' && part.state.status === 'completed' && part.state.output
  )
  expect(outputs).toEqual(['\n\nread x\n\ny: 1', ''])
})

test('a call that the person ended is told of as well', () => {
  const { corrections } = start()
  corrections.set('call', {
    sessionID: 'session',
    known: [SENT],
    args: {},
    note: { known: [''], now: '\n\nx was formatted' },
  })
  const state = { status: 'error' as const, input: SENT, error: 'aborted', time: { start: 0, end: 1 } }
  const messages = requestOf({ ...partOf('call', SENT), state })
  corrections.apply(messages)
  corrections.apply(messages)
  const part = messages[0]!.parts[0]!
  expect(part.type === 'tool' && part.state.status === 'error' && part.state.error).toBe(
    'aborted\n\nx was formatted',
  )
})

test('a session at rest may be corrected and told any number of times', () => {
  const { corrections } = start()
  const call = { callID: 'call', tool: 'write', input: NOW }
  for (let time = 0; time < 100; time += 1) {
    corrections.add('call', 'session', NOW, { argument: 'content', value: 'x = 1' })
    corrections.tell(call, 'session', { path: 'x', note: 'x: 1', again: 'read x' })
  }
  const messages = requestOf(partOf('call', SENT))
  corrections.apply(messages)
  expect(said(messages)).toEqual(['x = 1'])
})
