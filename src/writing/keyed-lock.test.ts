import { expect, test } from 'bun:test'
import { KeyedLock, type Keys } from './keyed-lock.ts'

test('calls with the same key take turns, and a call with `all` runs alone', async () => {
  const lock = new KeyedLock()
  const order: Array<string> = []
  const acquire = async (name: string, keys: Keys) => {
    const release = await lock.acquire(keys)
    order.push(name)
    return release
  }
  const [a1, a2, b] = [acquire('a1', ['a']), acquire('a2', ['a']), acquire('b', ['b'])]
  const [all, c] = [acquire('all', 'all'), acquire('c', ['c'])]
  const [releaseA1, releaseB] = await Promise.all([a1, b])
  expect(order.join()).toBe('a1,b')
  releaseA1()
  releaseB()
  // A second release has no effect.
  releaseB()
  const releaseA2 = await a2
  expect(order.join()).toBe('a1,b,a2')
  releaseA2()
  const releaseAll = await all
  expect(order.join()).toBe('a1,b,a2,all')
  releaseAll()
  await c
  expect(order.join()).toBe('a1,b,a2,all,c')
})
