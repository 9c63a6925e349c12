import { expect, test } from 'bun:test'
import { LruMap } from './lru-map.ts'

test('the least recently used entry is dropped', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3])
  expect([...map.keys()]).toEqual(['a', 'c'])
  map.set('a', 4)
  map.set('d', 5)
  expect([map.get('a'), map.get('c')]).toEqual([4, undefined])
})
