/** Tests which messages of a history a consumer gets: the new ones, or all of them after a change that matters. */
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

const ROWS: Array<[change: string, next: History, reads: 'all' | 'only new']> = [
  ['one more message', [...HISTORY, message('4', 'user')], 'only new'],
  ['another answer and result of a call', [QUESTION, answer('Looking', 'a.ts', 'x'), running()], 'only new'],
  ['another text of the person', [message('1', 'user', text('look at b.ts')), ANSWER, running()], 'all'],
  ['other arguments of a call', [QUESTION, answer('I look.', 'c.ts'), running()], 'all'],
  ['a call that ended', [QUESTION, ANSWER, message('3', 'assistant', call('completed', 'b.ts'))], 'all'],
  ['one more part', [QUESTION, ANSWER, running(text('x'))], 'all'],
  ['the last message removed', [QUESTION, ANSWER], 'all'],
  ['the last message replaced', [QUESTION, ANSWER, message('4', 'user', text('c.ts'))], 'all'],
]

test.each(ROWS)('a consumer gets new messages, or all after a change that matters: %s', (_, next, reads) => {
  const [reader, consumer] = [new MessageReader(), {}]
  expect(reader.next(consumer, HISTORY).added).toEqual(HISTORY)
  expect(reader.next(consumer, next).first).toBe(reads === 'all' ? 0 : HISTORY.length)
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
  expect(reader.next(consumer, history).added).toEqual(history)
})
