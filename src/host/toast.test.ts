import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import type { Client } from './client.ts'
import { createToast } from './toast.ts'

const clientWith = (showToast: (toast: { body: { message: string } }) => unknown) =>
  ({ tui: { showToast } }) as unknown as Client

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const start = () => {
  const shown: Array<string> = []
  const toast = createToast(clientWith(({ body }) => shown.push(body.message)))
  const shownWithin = (ms: number): Array<string> => {
    jest.advanceTimersByTime(ms)
    return shown.splice(0)
  }
  return { toast, shownWithin }
}

test('messages are shown together, 1.5 s after the start or 4 s after the last toast', () => {
  const { toast, shownWithin } = start()
  toast('a', 'first')
  toast('b', 'second')
  expect(shownWithin(1_499)).toEqual([])
  expect(shownWithin(1)).toEqual(['first\nsecond'])
  toast('c', 'third')
  expect(shownWithin(3_999)).toEqual([])
  expect(shownWithin(1)).toEqual(['third'])
})

test('of messages with the same key, only the first is ever shown', () => {
  const { toast, shownWithin } = start()
  toast('a', 'first')
  toast('a', 'in the same toast')
  expect(shownWithin(10_000)).toEqual(['first'])
  toast('a', 'later')
  expect(shownWithin(10_000)).toEqual([])
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
