import type { PluginInput } from '@opencode-ai/plugin'
import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { createToast } from './toast.ts'

type Shown = { title: string; message: string; variant: string }

const clientThat = (showToast: (shown: { body: Shown }) => unknown) =>
  ({ tui: { showToast } }) as unknown as PluginInput['client']

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('only the first message of a key is shown; messages that arrive together share a toast', () => {
  const shown: Array<Shown> = []
  const toast = createToast(clientThat(({ body }) => shown.push(body)))
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
  const each = { title: 'SAT', variant: 'warning' }
  expect(shown).toMatchObject([{ ...each, message: 'first\nother' }])
  jest.advanceTimersByTime(2_000)
  expect(shown).toMatchObject([{ ...each, message: 'first\nother' }, { ...each, message: 'later' }])
})

test('a client without terminal calls, or one whose call fails, does no harm', async () => {
  const unhandled: Array<unknown> = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const fails = clientThat(async () => Promise.reject(new Error('broken')))
  for (const client of [{} as PluginInput['client'], fails]) createToast(client)('key', 'message')
  jest.runAllTimers()
  jest.useRealTimers()
  await Bun.sleep(10)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
