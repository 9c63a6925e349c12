import type { PluginInput } from '@opencode-ai/plugin'
import { expect, jest, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import SAT from '../../sat.ts'
import { isTooOld, OLDEST_HOST } from './version.ts'

test.each([
  ['1.14.33', true],
  ['1.14.34-beta.1', false], // compared as 1.14.34
  ['1.14.100', false],
  ['0.0.0-dev-202611211200', false], // built from source
])('a host "%s" is too old: %p', (version, tooOld) => expect(isTooOld(version)).toBe(tooOld))

test('package.json allows hosts from `OLDEST_HOST` on', () => {
  expect(manifest.engines.opencode).toBe(`^${OLDEST_HOST}`)
})

test('on a host that is too old, SAT is off and says so', async () => {
  const messages: Array<string> = []
  const note = async ({ body }: { body: { message: string } }) => messages.push(body.message)
  const get = async ({ url }: { url: string }) => ({ data: url === '/global/health' && { version: '1.3.2' } })
  const client = { _client: { get }, app: { log: note }, tui: { showToast: note } }
  jest.useFakeTimers()
  expect(await SAT({ client, directory: '/', worktree: '/' } as unknown as PluginInput)).toEqual({})
  expect(messages).toEqual([expect.stringMatching(/^opencode-sat: .*OpenCode 1\.3\.2 .*1\.14\.34/)])
  // The toast is sent later, when the terminal can show it.
  jest.runAllTimers()
  jest.useRealTimers()
  expect(messages).toEqual([expect.anything(), expect.stringContaining('1.3.2')])
})
