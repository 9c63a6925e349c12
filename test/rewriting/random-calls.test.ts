import { expect, test } from 'bun:test'
import { expectWithinASecond } from '../harness/within-a-second.ts'
import { playRandom } from './random-calls.ts'

test('random documents and arguments: nothing throws, nothing takes long', async () => {
  // `bun test/rewriting/random-calls.ts` plays 20,000.
  const { slowest, failed } = await playRandom(150, 20_261_128)
  expect(failed).toEqual([])
  await expectWithinASecond(`the document of seed ${slowest.seed}`, () => playRandom(1, slowest.seed))
})
