import type { PluginInput } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { createToast } from './toast.ts'

type Shown = { title: string; message: string; variant: string }

const clientThat = (showToast: (shown: { body: Shown }) => unknown) =>
  ({ tui: { showToast } }) as unknown as PluginInput['client']

test('only the first message of a key is shown; messages that arrive together share a toast', async () => {
  const shown: Array<Shown> = []
  const toast = createToast(clientThat(({ body }) => shown.push(body)), 5, 40)
  toast('a', 'first')
  toast('a', 'again')
  toast('b', 'other')
  await Bun.sleep(30)
  toast('b', 'again')
  toast('c', 'later')
  expect(shown).toHaveLength(1)
  await Bun.sleep(60)
  const each = { title: 'SAT', variant: 'warning' }
  expect(shown).toMatchObject([{ ...each, message: 'first\nother' }, { ...each, message: 'later' }])
})

test('a client without terminal calls, or one whose call fails, does no harm', async () => {
  const unhandled: Array<unknown> = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const fails = clientThat(async () => Promise.reject(new Error('broken')))
  for (const client of [{} as PluginInput['client'], fails]) createToast(client, 0, 0)('key', 'message')
  await Bun.sleep(10)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
