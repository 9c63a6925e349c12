import { expect, test } from 'bun:test'
import { KeyedLock, type Keys } from './keyed-lock.ts'

test('calls with one key take turns, those with another key do not wait, and `all` excludes every other', async () => {
  const lock = new KeyedLock()
  const order: Array<string> = []
  const acquire = async (name: string, keys: Keys) => {
    const release = await lock.acquire(keys)
    order.push(name)
    return release
  }
  const [first, second, other] = [acquire('a1', ['a']), acquire('a2', ['a']), acquire('b', ['b'])]
  const [all, after] = [acquire('all', 'all'), acquire('c', ['c'])]
  const [endFirst, endOther] = await Promise.all([first, other])
  expect(order.join()).toBe('a1,b')
  endFirst()
  endOther()
  endOther()
  const endSecond = await second
  expect(order.join()).toBe('a1,b,a2')
  endSecond()
  const endAll = await all
  expect(order.join()).toBe('a1,b,a2,all')
  endAll()
  await after
  expect(order.join()).toBe('a1,b,a2,all,c')
})
