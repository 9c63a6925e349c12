import { expect, test } from 'bun:test'
import { corpusRates } from './corpus.ts'

const LEAST = {
  'lost-negation': 29,
  'gained-negation': 24,
  hardened: 26,
  weakened: 20,
  swapped: 12,
  number: 10,
  'lost-exception': 14,
  dropped: 20,
  merged: 10,
}

test('right wordings are taken, and slips are seen at least as often as the README says', () => {
  const { wordings, files, slips } = corpusRates()
  expect(wordings.hits).toBeLessThanOrEqual(2)
  expect(files.hits).toBeLessThanOrEqual(1)
  for (const [kind, least] of Object.entries(LEAST)) {
    expect({ kind, seen: slips.get(kind)!.hits >= least }).toEqual({ kind, seen: true })
  }
})
