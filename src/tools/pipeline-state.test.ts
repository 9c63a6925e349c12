// How sessions get, keep and lose their states. The stories in `test/rewriting` show which rules a call writes where.
import { expect, test } from 'bun:test'
import { sessionEvents, SessionStates } from './pipeline-state.ts'

/** Lists the files that sessions were shown. */
const shownIn = (sessions: SessionStates, ...ids: Array<string>) =>
  ids.map((id) => sessions.of(id).shown.paths().join())

test('sessions have separate states; a deleted session loses its state, an updated one keeps it', async () => {
  const sessions = new SessionStates()
  sessions.of('a').shown.record('/a.md', '')
  const { event } = sessionEvents(sessions)
  await event({ event: { type: 'session.updated', properties: { info: { id: 'a' } } } })
  expect(shownIn(sessions, 'a', 'b')).toEqual(['/a.md', ''])
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(shownIn(sessions, 'a')).toEqual([''])
})

test('200 sessions keep their states; with one more, the least recently used state is dropped', () => {
  const sessions = new SessionStates()
  for (let index = 0; index < 200; index++) sessions.of(`${index}`).shown.record('/a.md', '')
  sessions.of('0')
  sessions.of('200')
  expect(shownIn(sessions, '0', '2', '1')).toEqual(['/a.md', '/a.md', ''])
})
