import { expect, test } from 'bun:test'
import { longestHold } from '../harness/longest-hold.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { LARGE_CALLS, LINES, playLarge } from './large.ts'

const MAX_MEGABYTES = 200
// Linear work takes a few times as long as splitting; comparing all lines with all takes minutes.
const SPLITS = 100

test.each(LARGE_CALLS.map((call) => [call.name, call] as const))(
  'a call on a large file blocks the host for a time that is linear in its lines: %s',
  async (_, call) => {
    const split = await longestHold(async () => LINES.split('\n'))
    const { hold, shown } = await playLarge(call)
    // A diff of two texts of 9 MB would take longer than the test.
    expect(shown === call.shown).toBe(true)
    expect(hold.megabytes).toBeLessThan(MAX_MEGABYTES)
    expect(hold.ms).toBeLessThan(SPLITS * split.ms)
  },
  STORY_TIMEOUT_MS,
)
