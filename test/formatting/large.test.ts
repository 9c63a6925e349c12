import { expect, test } from 'bun:test'
import { longestHold } from '../harness/longest-hold.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { LARGE_CALLS, LINES, playLarge } from './large.ts'

const RUNS = 4
const MAX_MEGABYTES = 200

// The bound of the documentation; on a machine that takes longer than 25 ms to split 9 MB into lines, twice that time.
const BOUND_MS = 50
const SPLITS = 2

test.each(LARGE_CALLS.map((call) => [call.what, call] as const))(
  'a large file holds the host for 50 ms at most: %s',
  async (_, call) => {
    let least = Infinity
    let bound = BOUND_MS
    for (let run = 0; run < RUNS && least >= bound; run += 1) {
      const split = await longestHold(async () => LINES.concat(String(run)).split('\n'))
      const { hold, shown } = await playLarge(call)
      // A diff of two texts of 9 MB would take longer than the test.
      expect(shown === call.shown).toBe(true)
      expect(hold.megabytes).toBeLessThan(MAX_MEGABYTES)
      least = Math.min(least, hold.ms)
      bound = Math.max(bound, SPLITS * split.ms)
    }
    expect(least).toBeLessThan(bound)
  },
  STORY_TIMEOUT_MS,
)
