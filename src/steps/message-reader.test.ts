import { expect, test } from 'bun:test'
import type { Entry, EntryPart, History } from '../host/message-parts.ts'
import { MessageReader } from './message-reader.ts'

const said = (text: string): EntryPart => ({ type: 'text', text }) as EntryPart
const call = (status: string, filePath: string, output = ''): EntryPart =>
  ({ type: 'tool', tool: 'read', state: { status, input: { filePath }, output } }) as unknown as EntryPart
const message = (id: string, role: string, ...parts: Array<EntryPart>) =>
  ({ info: { id, role }, parts }) as Entry

const step = (text: string, path: string, output?: string) =>
  message('2', 'assistant', said(text), call('completed', path, output))
const ASKED = message('1', 'user', said('look at a.ts'))
const STEP = step('I look.', 'a.ts')
const RUNS = message('3', 'assistant', call('running', 'b.ts'))
const READ = [ASKED, STEP, RUNS]

const NEXT: Array<[name: string, next: History, read: number]> = [
  ['one more message', [...READ, message('4', 'user')], 3],
  ['another result or answer', [ASKED, step('Looking', 'a.ts', 'x'), RUNS], 3],
  ['another message of the person', [message('1', 'user', said('look at b.ts')), STEP, RUNS], 0],
  ['other arguments of a call', [ASKED, step('I look.', 'c.ts'), RUNS], 0],
  ['a call that was running', [ASKED, STEP, message('3', 'assistant', call('completed', 'b.ts'))], 0],
  ['one more part', [ASKED, STEP, message('3', 'assistant', call('running', 'b.ts'), said('x'))], 0],
  ['the last message removed', [ASKED, STEP], 0],
  ['a message removed, another sent', [ASKED, STEP, message('4', 'user', said('c.ts'))], 0],
]

test.each(NEXT)('only new messages are read, or all of them if one changed: %s', (_, next, read) => {
  const [messages, reader] = [new MessageReader(), {}]
  expect(messages.next(reader, READ).first).toBe(0)
  expect(messages.next(reader, next).first).toBe(read)
  expect(messages.next(reader, [...next]).first).toBe(next.length)
  // Another reader has not read any of them; a list may grow until the next request.
  expect(messages.next({}, next).added).toEqual(next)
  messages.endRequest()
  expect(messages.next({}, next).first).toBe(0)
  expect(messages.next(reader, next).added).toEqual([])
})

test('the list of a request is compared once for all readers', () => {
  const [messages, reader, list] = [new MessageReader(), {}, [ASKED, STEP]]
  messages.next(reader, list)
  list[0] = message('9', 'user', said('another'))
  expect(messages.next(reader, list).first).toBe(2)
  messages.endRequest()
  expect(messages.next(reader, list).first).toBe(0)
})
