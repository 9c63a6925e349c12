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

const NEXT: Array<[name: string, next: History, first: number]> = [
  ['one more message', [...READ, message('4', 'user')], 3],
  ['another text of the model and result of a call', [QUESTION, step('Looking', 'a.ts', 'x'), RUNNING], 3],
  ['another text of the person', [message('1', 'user', text('look at b.ts')), STEP, RUNNING], 0],
  ['other arguments of a call', [QUESTION, step('I look.', 'c.ts'), RUNNING], 0],
  ['a running call that ended', [QUESTION, STEP, message('3', 'assistant', call('completed', 'b.ts'))], 0],
  ['one more part', [QUESTION, STEP, message('3', 'assistant', call('running', 'b.ts'), text('x'))], 0],
  ['the last message removed', [QUESTION, STEP], 0],
  ['a message removed, another sent', [QUESTION, STEP, message('4', 'user', text('c.ts'))], 0],
]

test.each(NEXT)('a consumer gets only new messages, or all if a known one differs: %s', (_, next, first) => {
  const [reader, consumer] = [new MessageReader(), {}]
  expect(reader.next(consumer, READ).first).toBe(0)
  expect(reader.next(consumer, next).first).toBe(first)
  expect(reader.next(consumer, [...next]).first).toBe(next.length)
  // Another consumer has had none of them.
  expect(reader.next({}, next).added).toEqual(next)
  reader.endRequest()
  expect(reader.next({}, next).first).toBe(0)
  expect(reader.next(consumer, next).added).toEqual([])
})

test('the history of a request is compared once: a later change is seen only in the next request', () => {
  const [reader, consumer, list] = [new MessageReader(), {}, [QUESTION, STEP]]
  reader.next(consumer, list)
  list[0] = message('9', 'user', text('another'))
  expect(reader.next(consumer, list).first).toBe(2)
  reader.endRequest()
  expect(reader.next(consumer, list).first).toBe(0)
})
