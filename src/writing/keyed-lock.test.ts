import { expect, test } from 'bun:test'
import { KeyedLock, type Keys } from './keyed-lock.ts'

test('calls with the same key take turns, others do not wait, and `all` runs alone', async () => {
  const lock = new KeyedLock()
  const order: Array<string> = []
  const acquire = async (name: string, keys: Keys) => {
    const release = await lock.acquire(keys)
    order.push(name)
    return release
  }
  const [first, second, other] = [acquire('a1', ['a']), acquire('a2', ['a']), acquire('b', ['b'])]
  const [all, after] = [acquire('all', 'all'), acquire('c', ['c'])]
  const [releaseFirst, releaseOther] = await Promise.all([first, other])
  expect(order.join()).toBe('a1,b')
  releaseFirst()
  releaseOther()
  // A second release has no effect.
  releaseOther()
  const releaseSecond = await second
  expect(order.join()).toBe('a1,b,a2')
  releaseSecond()
  const releaseAll = await all
  expect(order.join()).toBe('a1,b,a2,all')
  releaseAll()
  await after
  expect(order.join()).toBe('a1,b,a2,all,c')
})
