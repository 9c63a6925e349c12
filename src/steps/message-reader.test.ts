import { expect, test } from 'bun:test'
import type { History, Message, MessagePart } from '../host/message-parts.ts'
import { MessageReader } from './message-reader.ts'

const text = (words: string): MessagePart => ({ type: 'text', text: words }) as MessagePart
const call = (status: string, filePath: string, output = ''): MessagePart =>
  ({ type: 'tool', tool: 'read', state: { status, input: { filePath }, output } }) as unknown as MessagePart
const message = (id: string, role: string, ...parts: Array<MessagePart>) =>
  ({ info: { id, role }, parts }) as Message

const step = (words: string, path: string, output?: string) =>
  message('2', 'assistant', text(words), call('completed', path, output))
const QUESTION = message('1', 'user', text('look at a.ts'))
const STEP = step('I look.', 'a.ts')
const RUNNING = message('3', 'assistant', call('running', 'b.ts'))
const READ = [QUESTION, STEP, RUNNING]

const NEXT: Array<[name: string, next: History, read: number]> = [
  ['one more message', [...READ, message('4', 'user')], 3],
  ['another result or answer', [QUESTION, step('Looking', 'a.ts', 'x'), RUNNING], 3],
  ['another message of the person', [message('1', 'user', text('look at b.ts')), STEP, RUNNING], 0],
  ['other arguments of a call', [QUESTION, step('I look.', 'c.ts'), RUNNING], 0],
  ['a call that was running', [QUESTION, STEP, message('3', 'assistant', call('completed', 'b.ts'))], 0],
  ['one more part', [QUESTION, STEP, message('3', 'assistant', call('running', 'b.ts'), text('x'))], 0],
  ['the last message removed', [QUESTION, STEP], 0],
  ['a message removed, another sent', [QUESTION, STEP, message('4', 'user', text('c.ts'))], 0],
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
  const [messages, reader, list] = [new MessageReader(), {}, [QUESTION, STEP]]
  messages.next(reader, list)
  list[0] = message('9', 'user', text('another'))
  expect(messages.next(reader, list).first).toBe(2)
  messages.endRequest()
  expect(messages.next(reader, list).first).toBe(0)
})
