import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import type { Client } from './client.ts'
import { createToast } from './toast.ts'

const clientWith = (showToast: (toast: { body: { message: string } }) => unknown) =>
  ({ tui: { showToast } }) as unknown as Client

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('messages wait for the next toast, which joins them; of each key, only the first message is ever shown', () => {
  const shown: Array<string> = []
  const toast = createToast(clientWith(({ body }) => shown.push(body.message)))
  const shownWithin = (ms: number): Array<string> => {
    jest.advanceTimersByTime(ms)
    return shown.splice(0)
  }
  toast('a', 'a1')
  toast('a', 'a2')
  toast('b', 'b1')
  expect(shownWithin(1_000)).toEqual([])
  expect(shownWithin(1_000)).toEqual(['a1\nb1'])
  toast('b', 'b2')
  toast('c', 'c1')
  expect(shownWithin(3_000)).toEqual([])
  expect(shownWithin(2_000)).toEqual(['c1'])
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
