// The stories in `test/rewriting` show which rules a call without `rules` writes to which file.
import { expect, test } from 'bun:test'
import { PipelineState, sessionEvents } from './pipeline-state.ts'

const storeFormatted = (sessions: PipelineState, id: string): void => {
  const session = sessions.of(id)
  session.storeTexts(session.recordsToFormat()[0]!, { rules: ['x'], mode: undefined })
}

test('sessions have separate states; a deleted session loses its state, an updated one keeps it', async () => {
  const sessions = new PipelineState()
  const recordsOf = (id: string): number => sessions.of(id).records.length
  storeFormatted(sessions, 'a')
  expect([recordsOf('a'), recordsOf('b')]).toEqual([1, 0])
  sessions.of('a').shown.record('/a.md', '')
  const { event } = sessionEvents(sessions)
  await event({ event: { type: 'session.updated', properties: { info: { id: 'a' } } } })
  expect(recordsOf('a')).toBe(1)
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(recordsOf('a')).toBe(0)
  expect(sessions.of('a').shown.paths()).toEqual([])
})

test('200 sessions keep their states; with one more, the least recently used state is dropped', () => {
  const sessions = new PipelineState()
  for (let index = 0; index < 200; index++) storeFormatted(sessions, `${index}`)
  sessions.of('0')
  sessions.of('200')
  expect(['0', '2', '1'].map((id) => sessions.of(id).records.length)).toEqual([1, 1, 0])
})
