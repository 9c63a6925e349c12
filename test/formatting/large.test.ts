import { expect, test } from 'bun:test'
import { longestHold } from '../harness/longest-hold.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { LARGE_CALLS, LINES, playLarge } from './large.ts'

const MAX_MEGABYTES = 200
/**
 * The maximum time that a call may block the host, as a multiple of the time in which `LINES` is split into lines. Work
 * that is linear in the lines takes a small multiple; comparing each line with each other one takes minutes.
 */
const MAX_SPLITS = 100

test.each(LARGE_CALLS.map((call) => [call.name, call] as const))(
  'a call on a large file is corrected, or its note says to read again, in little time and memory: %s',
  async (_, call) => {
    const split = await longestHold(async () => LINES.split('\n'))
    const { hold, shown } = await playLarge(call)
    // Not with `toBe`: its diff of two texts of 9 MB would take longer than the test.
    expect(shown === call.shown).toBe(true)
    expect(hold.megabytes).toBeLessThan(MAX_MEGABYTES)
    expect(hold.ms).toBeLessThan(MAX_SPLITS * split.ms)
  },
  STORY_TIMEOUT_MS,
)
