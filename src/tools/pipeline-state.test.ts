import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { sessionEvents, SessionState, SessionStates } from './pipeline-state.ts'
import { filesOfSources } from './rules-to-write.ts'

const shownIn = (sessions: SessionStates, ...ids: Array<string>) =>
  ids.map((id) => sessions.of(id).shown.paths().join())

test('a session keeps its own state until it is deleted', async () => {
  const sessions = new SessionStates()
  sessions.of('a').shown.record('/a.md', '')
  const { event } = sessionEvents(sessions)
  await event({ event: { type: 'session.updated', properties: { info: { id: 'a' } } } })
  expect(shownIn(sessions, 'a', 'b')).toEqual(['/a.md', ''])
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(shownIn(sessions, 'a')).toEqual([''])
})

test('beyond 200 sessions, the least recently used state is dropped', () => {
  const sessions = new SessionStates()
  for (let index = 0; index < 200; index++) sessions.of(`${index}`).shown.record('/a.md', '')
  sessions.of('0')
  sessions.of('200')
  expect(shownIn(sessions, '0', '2', '1')).toEqual(['/a.md', '/a.md', ''])
})

test('the rules to write are in the files of all open records, given texts in that of the last one', () => {
  const session = new SessionState()
  const texts = { rules: ['Use tabs.'], mode: undefined }
  for (const file of ['/a.md', '/b.md']) {
    session.storeParsed({ parsed: [toParsedRule('obligatory, use, tabs')], files: [file], replaced: [] })
    session.storeTexts(session.recordsToFormat()[0]!, texts)
  }
  expect(filesOfSources(session, {}).data).toEqual(['/a.md', '/b.md'])
  expect(filesOfSources(session, texts).data).toEqual(['/b.md'])
})
