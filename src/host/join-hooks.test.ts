import { expect, test } from 'bun:test'
import { joinHooks } from './join-hooks.ts'

test('a failed hook is reported and stops no other hook', async () => {
  const calls: Array<string> = []
  const failures: Array<string> = []
  const rejecting = { event: () => Promise.reject(new Error('rejected')) }
  const succeeding = ['a', 'b'].map((name) => ({ event: async () => void calls.push(name) }))
  const hooks = joinHooks([rejecting, ...succeeding], (hook, thrown) => failures.push(`${hook}: ${thrown}`))
  await hooks.event?.({ event: {} as never })
  expect(calls).toEqual(['a', 'b'])
  expect(failures).toEqual(['event: Error: rejected'])
})
