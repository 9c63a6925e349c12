import { expect, test } from 'bun:test'
import { longestHold } from '../harness/longest-hold.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { LARGE_CALLS, LARGE_TEXT, playLarge } from './large.ts'

const MAX_MEGABYTES = 200
// Linear work takes a few times as long as `split`, and quadratic work takes minutes.
const MAX_SPLIT_TIMES = 100

test.each(LARGE_CALLS.map((call) => [call.name, call] as const))(
  'a call on a large file takes little time and memory: %s',
  async (_, call) => {
    const split = await longestHold(async () => LARGE_TEXT.split('\n'))
    const { shown, hold } = await playLarge(call)
    // `toBe` would compute a diff of the texts (9 MB), which takes longer than the test.
    expect(shown === call.shown).toBe(true)
    expect(hold.megabytes).toBeLessThan(MAX_MEGABYTES)
    expect(hold.ms).toBeLessThan(MAX_SPLIT_TIMES * split.ms)
  },
  STORY_TIMEOUT_MS,
)
