import { expect, test } from 'bun:test'
import { type HooksPart, joinHooks } from './join-hooks.ts'

const part = (name: string, said: Array<string>, fails = false): HooksPart => ({
  'chat.message': async () => {
    said.push(name)
    if (fails) throw new Error(`${name} broke`)
  },
})

const message = (hooks: ReturnType<typeof joinHooks>) =>
  hooks['chat.message']?.({ sessionID: 's' }, { message: {} as never, parts: [] })

test("hooks of one name run in the parts' order; one that fails is reported and stops no other", async () => {
  const said: Array<string> = []
  const failures: Array<string> = []
  const hooks = joinHooks([part('a', said), part('b', said, true), part('c', said)], (hook, thrown) => {
    failures.push(`${hook}: ${thrown instanceof Error ? thrown.message : ''}`)
  })
  await message(hooks)
  expect(said).toEqual(['a', 'b', 'c'])
  expect(failures).toEqual(['chat.message: b broke'])
})

test('a synchronous throw is caught as well', async () => {
  const failures: Array<string> = []
  const broken: HooksPart = {
    event: () => {
      throw new Error('at once')
    },
  }
  await joinHooks([broken], (hook) => failures.push(hook)).event?.({ event: {} as never })
  expect(failures).toEqual(['event'])
})

test('the tools of all parts are offered; a hook that no part has is not there', () => {
  const tool = { description: '', args: {}, execute: async () => '' }
  const hooks = joinHooks([{ tool: { a: tool } }, {}, { tool: { b: tool } }], () => {})
  expect(Object.keys(hooks)).toEqual(['tool'])
  expect(Object.keys(hooks.tool ?? {})).toEqual(['a', 'b'])
})
