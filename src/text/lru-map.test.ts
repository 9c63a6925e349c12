import { expect, test } from 'bun:test'
import { LruMap } from './lru-map.ts'

test('the least recently used entry is dropped', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1).set('b', 2)
  map.get('a')
  map.set('c', 3)
  expect([...map.keys()]).toEqual(['a', 'c'])
})

test('an entry that must be kept is not dropped, even beyond the limit', () => {
  const map = new LruMap<string, { isWritten: boolean }>(2, ({ isWritten }) => isWritten)
  for (const key of ['a', 'b', 'c']) map.set(key, { isWritten: true })
  expect(map.size).toBe(3)
  map.set('d', { isWritten: false })
  expect([...map.keys()]).toEqual(['a', 'b', 'c'])
})
