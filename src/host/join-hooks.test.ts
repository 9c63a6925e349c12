import { expect, test } from 'bun:test'
import { joinHooks } from './join-hooks.ts'

test("hooks run in the order of SAT's parts; a failure is reported and stops no other hook", async () => {
  const calls: Array<string> = []
  const failures: Array<string> = []
  const rejecting = { event: () => Promise.reject(new Error('rejected')) }
  const throwing = {
    event: () => {
      throw new Error('thrown')
    },
  }
  const succeeding = ['a', 'b'].map((name) => ({ event: async () => void calls.push(name) }))
  const partsOfSat = [rejecting, throwing, ...succeeding]
  const hooks = joinHooks(partsOfSat, (hook, thrown) => failures.push(`${hook}: ${thrown}`))
  await hooks.event?.({ event: {} as never })
  expect(calls).toEqual(['a', 'b'])
  expect(failures).toEqual(['event: Error: rejected', 'event: Error: thrown'])
})
