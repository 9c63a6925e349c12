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
const running = (...more: Array<MessagePart>) => message('3', 'assistant', call('running', 'b.ts'), ...more)
const QUESTION = message('1', 'user', text('look at a.ts'))
const ANSWER = answer('I look.', 'a.ts')
const HISTORY = [QUESTION, ANSWER, running()]

const ROWS: Array<[reads: 'all' | 'only new', change: string, next: History]> = [
  ['only new', 'one more message', [...HISTORY, message('4', 'user')]],
  // SAT itself may change the outputs of calls.
  ['only new', 'a changed answer and call output', [QUESTION, answer('Looking', 'a.ts', 'x'), running()]],
  ['all', 'a changed text of the person', [message('1', 'user', text('look at b.ts')), ANSWER, running()]],
  ['all', 'a changed path of a call', [QUESTION, answer('I look.', 'c.ts'), running()]],
  ['all', 'the end of a call', [QUESTION, ANSWER, message('3', 'assistant', call('completed', 'b.ts'))]],
  ['all', 'one more part', [QUESTION, ANSWER, running(text('x'))]],
  ['all', 'the removal of the last message', [QUESTION, ANSWER]],
  ['all', 'a new id of the last message', [QUESTION, ANSWER, message('4', 'assistant', ...running().parts)]],
]

test.each(ROWS)('a consumer gets %s messages after this change of the history: %s', (reads, _, next) => {
  const [reader, consumer] = [new MessageReader(), {}]
  expect(reader.next(consumer, HISTORY).added).toEqual(HISTORY)
  expect(reader.next(consumer, next).first).toBe(reads === 'all' ? 0 : HISTORY.length)
  // This consumer gets no message twice, and another consumer gets all messages.
  expect(reader.next(consumer, [...next]).added).toEqual([])
  expect(reader.next({}, next).added).toEqual(next)
  reader.endRequest()
  expect(reader.next(consumer, next).added).toEqual([])
})

test('a message replaced in the same array is noticed only after the end of the request', () => {
  const [reader, consumer, history] = [new MessageReader(), {}, [QUESTION, ANSWER]]
  reader.next(consumer, history)
  history[0] = message('9', 'user', text('another'))
  expect(reader.next(consumer, history).added).toEqual([])
  reader.endRequest()
  expect(reader.next(consumer, history).added).toEqual(history)
})
