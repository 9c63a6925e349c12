import { expect, test } from 'bun:test'
import { claimInstance } from './single-instance.ts'

test('an instance is claimed once, each instance for itself', () => {
  const [one, other] = [{}, {}]
  expect([claimInstance(one), claimInstance(other), claimInstance(one)]).toEqual([true, true, false])
})
