import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { fuzz } from './fuzz.ts'
import { type Judgement, UNTRUE } from './fuzz/judge.ts'

story('after random edits, a model knows what formatters left in each file, or reads a note', async () => {
  const untrue: Array<Judgement> = []
  const counts = await fuzz({
    host: await sharedHost(),
    messages: 20,
    messagesPerSession: 5,
    seed: 20_261_121,
    // The other formatters take about a second per file.
    only: /^(?:biome|dprint)/,
    settings: ['option', 'host'],
    onJudged: (judgement) => UNTRUE.includes(judgement.verdict) && untrue.push(judgement),
  })
  expect(untrue).toEqual([])
  expect(counts.corrected).toBeGreaterThan(0)
})
