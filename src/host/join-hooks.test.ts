import { expect, test } from 'bun:test'
import { type HooksPart, joinHooks } from './join-hooks.ts'

test("hooks of one name run in the parts' order; one that fails is reported and stops no other", async () => {
  const said: Array<string> = []
  const failures: Array<string> = []
  const parts = ['a', 'rejects', 'throws', 'b'].map((name): HooksPart => ({
    event: () => {
      said.push(name)
      if (name === 'throws') throw new Error(name)
      return name === 'rejects' ? Promise.reject(new Error(name)) : Promise.resolve()
    },
  }))
  const hooks = joinHooks(parts, (hook, thrown) => failures.push(`${hook}: ${thrown}`))
  await hooks.event?.({ event: {} as never })
  expect(said).toEqual(['a', 'rejects', 'throws', 'b'])
  expect(failures).toEqual(['event: Error: rejects', 'event: Error: throws'])
})
