import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { fuzz } from './fuzz.ts'
import { FAULTS, type Judgement } from './fuzz/judge.ts'

story('after random edits, its calls or a note of SAT tell a model what each file contains', async () => {
  const faulty: Array<Judgement> = []
  const counts = await fuzz({
    host: await sharedHost(),
    messages: 20,
    messagesPerSession: 5,
    seed: 20_261_121,
    // All formatters except Biome and dprint take about a second per file.
    formatterNames: /^(?:biome|dprint)/,
    settings: ['option', 'host'],
    onJudged: (judgement) => FAULTS.includes(judgement.verdict) && faulty.push(judgement),
  })
  expect(faulty).toEqual([])
  expect(counts.corrected).toBeGreaterThan(0)
})
