import { expect, test } from 'bun:test'
import { diffArrays } from 'diff'
import fc from 'fast-check'
import { pairUp } from './pair-up.ts'

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '('), { maxLength: 40 })

test('equal words are paired in their order, as many of them as can be', () => {
  fc.assert(fc.property(words, words, (old, now) => {
    const { pairOf, edits } = pairUp(old, now, 80)!
    const paired = pairOf.flatMap((place, index) => (place < 0 ? [] : [{ index, place }]))
    expect(paired.map(({ place }) => now[place])).toEqual(paired.map(({ index }) => old[index]))
    expect(paired.map(({ place }) => place)).toEqual(
      paired.map(({ place }) => place).toSorted((one, other) => one - other),
    )
    const shared = diffArrays(old, now).filter(({ added, removed }) => !added && !removed)
    expect(paired.length).toBe(shared.reduce((sum, { count }) => sum + count, 0))
    expect(edits).toBe(old.length + now.length - 2 * paired.length)
  }))
})

test('lists that differ by more than is allowed are given up', () => {
  expect(pairUp(['a', 'b'], ['c', 'd'], 4)).toEqual({ pairOf: [-1, -1], edits: 4 })
  expect(pairUp(['a', 'b'], ['c', 'd'], 3)).toBeNull()
})
