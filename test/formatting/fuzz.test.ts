/** Random edits of real sources with real formatters: the model's view of each file stays true. */
import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { fuzz } from './fuzz.ts'
import { type Judgement, UNTRUE } from './fuzz/player.ts'

const MESSAGES = 20

// The other formatters take about a second per file; `bun test/formatting/fuzz.ts` plays all.
const FAST = /^(?:biome|dprint)/

story('a model that edits real sources sees each file as real formatters left it, or a note', async () => {
  const untrue: Array<Judgement> = []
  const counts = await fuzz({
    host: await sharedHost(),
    messages: MESSAGES,
    messagesPerSession: 5,
    seed: 20_261_121,
    only: FAST,
    settings: ['option', 'host'],
    calls: 3,
    onJudged: (judged) => UNTRUE.includes(judged.verdict) && untrue.push(judged),
  })
  expect(untrue).toEqual([])
  expect(counts.corrected).toBeGreaterThan(0)
})
