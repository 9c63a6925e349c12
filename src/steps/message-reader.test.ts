import { expect, test } from 'bun:test'
import type { History, Message, MessagePart } from '../host/message-parts.ts'
import { MessageReader } from './message-reader.ts'

const text = (words: string): MessagePart => ({ type: 'text', text: words }) as MessagePart
const call = (status: string, filePath: string, output = ''): MessagePart =>
  ({ type: 'tool', tool: 'read', state: { status, input: { filePath }, output } }) as unknown as MessagePart
const message = (id: string, role: string, ...parts: Array<MessagePart>) =>
  ({ info: { id, role }, parts }) as Message

const answer = (words: string, path: string, output?: string) =>
  message('2', 'assistant', text(words), call('completed', path, output))
const QUESTION = message('1', 'user', text('look at a.ts'))
const ANSWER = answer('I look.', 'a.ts')
const RUNNING = message('3', 'assistant', call('running', 'b.ts'))
const HISTORY = [QUESTION, ANSWER, RUNNING]

// The index of the first message that a consumer gets, once it has read `HISTORY`.
const ALL = 0
const NEW = HISTORY.length
const ROWS: Array<[name: string, next: History, first: number]> = [
  ['one more message', [...HISTORY, message('4', 'user')], NEW],
  ['another answer and result of a call', [QUESTION, answer('Looking', 'a.ts', 'x'), RUNNING], NEW],
  ['another text of the person', [message('1', 'user', text('look at b.ts')), ANSWER, RUNNING], ALL],
  ['other arguments of a call', [QUESTION, answer('I look.', 'c.ts'), RUNNING], ALL],
  ['a call that ended', [QUESTION, ANSWER, message('3', 'assistant', call('completed', 'b.ts'))], ALL],
  ['one more part', [QUESTION, ANSWER, message('3', 'assistant', call('running', 'b.ts'), text('x'))], ALL],
  ['the last message removed', [QUESTION, ANSWER], ALL],
  ['the last message replaced', [QUESTION, ANSWER, message('4', 'user', text('c.ts'))], ALL],
]

test.each(ROWS)('a consumer gets new messages, or all after a change that matters: %s', (_, next, first) => {
  const [reader, consumer] = [new MessageReader(), {}]
  expect(reader.next(consumer, HISTORY).first).toBe(ALL)
  expect(reader.next(consumer, next).first).toBe(first)
  // With the same messages again, this consumer gets none, and another one gets all.
  expect(reader.next(consumer, [...next]).added).toEqual([])
  expect(reader.next({}, next).added).toEqual(next)
  reader.endRequest()
  expect(reader.next(consumer, next).added).toEqual([])
})

test('a change of a history during a request is seen in the next request', () => {
  const [reader, consumer, history] = [new MessageReader(), {}, [QUESTION, ANSWER]]
  reader.next(consumer, history)
  history[0] = message('9', 'user', text('another'))
  expect(reader.next(consumer, history).added).toEqual([])
  reader.endRequest()
  expect(reader.next(consumer, history).first).toBe(ALL)
})
