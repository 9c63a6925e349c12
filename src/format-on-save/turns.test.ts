import { expect, test } from 'bun:test'
import { Turns } from './turns.ts'

test('one file has one turn at a time, in order; other files do not wait; all waits for every one', async () => {
  const turns = new Turns()
  const order: Array<string> = []
  const take = async (name: string, keys: Array<string> | 'all') => {
    const release = await turns.take(keys)
    order.push(name)
    return release
  }
  const first = take('a1', ['a'])
  const second = take('a2', ['a'])
  const other = take('b', ['b'])
  const all = take('all', 'all')
  const behind = take('c', ['c'])
  await Bun.sleep(0)
  expect(order).toEqual(['a1', 'b'])
  ;(await first)()
  ;(await other)()
  await Bun.sleep(0)
  expect(order).toEqual(['a1', 'b', 'a2'])
  ;(await second)()
  await Bun.sleep(0)
  expect(order).toEqual(['a1', 'b', 'a2', 'all'])
  ;(await all)()
  await behind
  expect(order.at(-1)).toBe('c')
})

test('a turn that does not come is gone without, and does not hold up others', async () => {
  const turns = new Turns()
  const held = await turns.take(['a'])
  const given = await turns.take(['a', 'b'], 5)
  given()
  const other = await turns.take(['b'])
  other()
  other()
  held()
  await turns.take('all')
})
