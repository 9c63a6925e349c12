import { expect, test } from 'bun:test'
import { joinHooks, type PartHooks } from './join-hooks.ts'

test('hooks of the same name run in the order of the parts; a failure is reported and stops no other hook', async () => {
  const calls: Array<string> = []
  const failures: Array<string> = []
  const parts = ['a', 'rejects', 'throws', 'b'].map((name): PartHooks => ({
    event: () => {
      calls.push(name)
      if (name === 'throws') throw new Error(name)
      return name === 'rejects' ? Promise.reject(new Error(name)) : Promise.resolve()
    },
  }))
  const hooks = joinHooks(parts, (hook, thrown) => failures.push(`${hook}: ${thrown}`))
  await hooks.event?.({ event: {} as never })
  expect(calls).toEqual(['a', 'rejects', 'throws', 'b'])
  expect(failures).toEqual(['event: Error: rejects', 'event: Error: throws'])
})
