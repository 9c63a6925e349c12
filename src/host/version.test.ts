import type { PluginInput } from '@opencode-ai/plugin'
import { expect, jest, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SAT from '../../sat.ts'
import { isTooOld, OLDEST_HOST } from './version.ts'

test.each([
  ['1.14.33', true],
  ['1.14.34-beta.1', false],
  ['1.14.34', false],
  ['1.14.100', false],
  ['2.0.0', false],
  ['0.0.0-dev-202611211200', false],
  ['', false],
])('a host "%s" is too old: %p', (version, tooOld) => expect(isTooOld(version)).toBe(tooOld))

test('package.json names the same oldest host', () => {
  const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'))
  expect(engines.opencode).toBe(`^${OLDEST_HOST}`)
})

type Url = { url: string }
type Body = { body: { message: string } }

test('on a host that is too old, SAT is off and says so in the log and on the screen', async () => {
  const messages: Array<string> = []
  const client = {
    _client: { get: async ({ url }: Url) => ({ data: url === '/global/health' && { version: '1.3.2' } }) },
    app: { log: async ({ body }: Body) => messages.push(body.message) },
    tui: { showToast: async ({ body }: Body) => messages.push(`toast: ${body.message}`) },
  } as unknown as PluginInput['client']
  jest.useFakeTimers()
  expect(await SAT({ client, directory: '/', worktree: '/' } as PluginInput, {})).toEqual({})
  // A toast is delayed until the terminal is ready to show it.
  jest.runAllTimers()
  jest.useRealTimers()
  const toast = expect.stringMatching(/^toast: .*1\.3\.2/)
  expect(messages).toEqual([expect.stringContaining('OpenCode 1.3.2'), toast])
  expect(messages[0]).toContain(OLDEST_HOST)
})
