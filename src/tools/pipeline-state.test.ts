import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { sessionEvents, SessionState, SessionStates } from './pipeline-state.ts'
import { filesOfSources } from './rules-to-write.ts'

test('a session keeps its state when it is updated, and loses it when it is deleted', async () => {
  const sessions = new SessionStates()
  sessions.of('a').shown.record('/a.md', '')
  const shownAfter = async (type: string) => {
    await sessionEvents(sessions).event({ event: { type, properties: { info: { id: 'a' } } } })
    return sessions.of('a').shown.paths()
  }
  expect([await shownAfter('session.updated'), await shownAfter('session.deleted')]).toEqual([['/a.md'], []])
})

test('a child session shares the shown files and the first backups of its parent', async () => {
  const sessions = new SessionStates()
  const info = { id: 'child', parentID: 'parent' }
  await sessionEvents(sessions).event({ event: { type: 'session.created', properties: { info } } })
  sessions.of('parent').shown.record('/a.md', '')
  sessions.of('child').firstBackups.set('/a.md', '/backup')
  expect(sessions.of('child').shown.paths()).toEqual(['/a.md'])
  expect(sessions.of('parent').firstBackups.get('/a.md')).toBe('/backup')
})

test('beyond 200 sessions, the least recently used state is dropped', () => {
  const sessions = new SessionStates()
  for (let index = 0; index < 200; index++) sessions.of(`${index}`).shown.record('/a.md', '')
  // Uses the session `0` again, then adds the session `200`, for which the session `1` is dropped.
  for (const id of ['0', '200']) sessions.of(id)
  expect(['0', '2', '1'].map((id) => sessions.of(id).shown.paths())).toEqual([['/a.md'], ['/a.md'], []])
})

test('if two files get the same rules, a call without rules writes both, and a call with rules writes the last', () => {
  const session = new SessionState()
  // Two records, one for each file, have the same texts.
  const texts = { rules: ['Use tabs.'], mode: undefined }
  for (const file of ['/a.md', '/b.md']) {
    session.storeParsed({ parsed: [toParsedRule('obligatory, use, tabs')], files: [file], replaced: [] })
    session.storeTexts(session.recordsToFormat()[0]!, texts)
  }
  expect(filesOfSources(session, {}).data).toEqual(['/a.md', '/b.md'])
  expect(filesOfSources(session, texts).data).toEqual(['/b.md'])
})
