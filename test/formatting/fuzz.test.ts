import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { fuzz } from './fuzz.ts'
import { FAULTS, type Judgement } from './fuzz/judge.ts'

story('after random edits, a model can infer each file from the calls and notes in the history', async () => {
  const faulty: Array<Judgement> = []
  const counts = await fuzz({
    host: await sharedHost(),
    messages: 20,
    messagesPerSession: 5,
    seed: 20_261_121,
    // The other formatters take about a second per file.
    formatterNames: /^(?:biome|dprint)/,
    settings: ['option', 'host'],
    onJudged: (judgement) => FAULTS.includes(judgement.verdict) && faulty.push(judgement),
  })
  expect(faulty).toEqual([])
  expect(counts.corrected).toBeGreaterThan(0)
})
