import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import type { Client } from './client.ts'
import { createToast } from './toast.ts'

const clientWith = (showToast: (toast: { body: { message: string } }) => unknown) =>
  ({ tui: { showToast } }) as unknown as Client

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('a toast joins the messages that came while it waited; of each key, only the first message is ever shown', () => {
  const shown: Array<string> = []
  const toast = createToast(clientWith(({ body }) => shown.push(body.message)))
  toast('a', 'first')
  toast('a', 'again')
  toast('b', 'other')
  jest.advanceTimersByTime(1_000)
  expect(shown).toEqual([])
  jest.advanceTimersByTime(1_000)
  toast('b', 'again')
  toast('c', 'later')
  jest.advanceTimersByTime(3_000)
  expect(shown).toEqual(['first\nother'])
  jest.advanceTimersByTime(2_000)
  expect(shown).toEqual(['first\nother', 'later'])
})

test('a toast that the host refuses causes no unhandled rejection', async () => {
  const unhandled: Array<unknown> = []
  const record = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', record)
  createToast(clientWith(async () => Promise.reject(new Error('broken'))))('key', 'message')
  jest.runAllTimers()
  jest.useRealTimers()
  await Bun.sleep(10)
  process.off('unhandledRejection', record)
  expect(unhandled).toEqual([])
})
