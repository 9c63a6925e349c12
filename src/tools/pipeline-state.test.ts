// The stories in `test/rewriting` show which rules a call without `rules` writes to which file.
import { expect, test } from 'bun:test'
import { PipelineState, sessionEvents } from './pipeline-state.ts'

const format = (sessions: PipelineState, id: string): void => {
  const session = sessions.of(id)
  session.storeTexts(session.recordsToFormat()[0]!, { rules: ['x'], mode: undefined })
}

test('sessions have separate states, and a deleted session has none', async () => {
  const sessions = new PipelineState()
  const recordsOf = (id: string): number => sessions.of(id).records.length
  format(sessions, 'a')
  expect([recordsOf('a'), recordsOf('b')]).toEqual([1, 0])
  sessions.of('a').shown.record('/a.md', '')
  const { event } = sessionEvents(sessions)
  await event({ event: { type: 'session.updated', properties: { info: { id: 'a' } } } })
  expect(recordsOf('a')).toBe(1)
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(recordsOf('a')).toBe(0)
  expect(sessions.of('a').shown.paths()).toEqual([])
})

test('200 sessions have a state, the least recently used one is dropped first', () => {
  const sessions = new PipelineState()
  for (let index = 0; index < 200; index++) format(sessions, `${index}`)
  sessions.of('0')
  sessions.of('200')
  expect(['0', '2', '1'].map((id) => sessions.of(id).records.length)).toEqual([1, 1, 0])
})
