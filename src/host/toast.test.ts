import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import type { Client } from './client.ts'
import { createToast } from './toast.ts'

const clientThat = (showToast: (toast: { body: { message: string } }) => unknown) =>
  ({ tui: { showToast } }) as unknown as Client

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('only the first message of a key is shown; messages that arrive together share a toast', () => {
  const shown: Array<string> = []
  const toast = createToast(clientThat(({ body }) => shown.push(body.message)))
  toast('a', 'first')
  toast('a', 'again')
  toast('b', 'other')
  // A toast is lost before the terminal is ready.
  jest.advanceTimersByTime(1_000)
  expect(shown).toEqual([])
  jest.advanceTimersByTime(1_000)
  toast('b', 'again')
  toast('c', 'later')
  // The first one can be read before the second replaces it.
  jest.advanceTimersByTime(3_000)
  expect(shown).toEqual(['first\nother'])
  jest.advanceTimersByTime(2_000)
  expect(shown).toEqual(['first\nother', 'later'])
})

test('a client whose call fails does no harm', async () => {
  const unhandled: Array<unknown> = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  createToast(clientThat(async () => Promise.reject(new Error('broken'))))('key', 'message')
  jest.runAllTimers()
  jest.useRealTimers()
  await Bun.sleep(10)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
