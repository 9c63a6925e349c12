import { expect, test } from 'bun:test'
import { playDirectly } from './fuzz/direct.ts'
import { FORMATTERS } from './fuzz/formatters.ts'
import { type Judged, UNTRUE } from './fuzz/player.ts'
import { randomOf } from './fuzz/random.ts'
import { readSources } from './fuzz/sources.ts'

const SEED = 20_261_121
const FILES = 12
const MESSAGES_A_FILE = 5
const CALLS = 3
// A formatter's time grows with the file; the search takes larger ones, too.
const MAX_LENGTH = 6_000
const TIMEOUT_MS = 120_000

// Those that format in this process; `bun test/formatting/fuzz.ts` has all of them, in the real host.
const IN_PROCESS = FORMATTERS.filter(({ name }) => /^(prettier|dprint)/.test(name))

test(
  'of real sources that real formatters change, a model believes what the file says, or reads what changed',
  async () => {
    const sources = readSources()
    const all: Array<Judged> = []
    for (let index = 0; index < FILES; index += 1) {
      const random = randomOf(SEED + index)
      const formatter = IN_PROCESS[index % IN_PROCESS.length]!
      const source = random.pick(
        sources.filter(({ extension, text }) =>
          text.length < MAX_LENGTH && formatter.extensions.includes(extension)
        ),
      )
      await playDirectly({
        random,
        formatter,
        source,
        tool: index % 4 === 3 ? 'apply_patch' : 'edit',
        messages: MESSAGES_A_FILE,
        calls: CALLS,
        onJudged: (judged) => void all.push(judged),
      })
    }
    const verdicts = all.map(({ verdict }) => verdict)
    expect(all.filter(({ verdict }) => UNTRUE.includes(verdict))).toEqual([])
    // Nearly all that a call can say is found in the formatted file; how many of 2,000 edits is a figure of the bench.
    expect(verdicts.filter((verdict) => verdict === 'corrected').length).toBeGreaterThan(2 * FILES)
  },
  TIMEOUT_MS,
)
