import { expect, test } from 'bun:test'
import { joinHooks, type PartHooks } from './join-hooks.ts'

test('a failed hook is logged once and stops no other hook', async () => {
  const calls: Array<string> = []
  const logged: Array<string> = []
  const failures = new Map<PartHooks, string>()
  const rejecting = { event: () => Promise.reject(new Error('rejected')) }
  const succeeding = ['a', 'b'].map((name) => ({ event: async () => void calls.push(name) }))
  const hooks = joinHooks([rejecting, ...succeeding], (_, line) => logged.push(line), failures)
  for (const event of [{}, {}]) await hooks.event?.({ event: event as never })
  expect(calls).toEqual(['a', 'b', 'a', 'b'])
  expect(logged).toEqual(['The hook event failed: rejected'])
  expect([...failures]).toEqual([[rejecting, 'rejected']])
})
