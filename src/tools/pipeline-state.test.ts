import { expect, test } from 'bun:test'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { PipelineState, sessionEvents, type SessionRules } from './pipeline-state.ts'
import { filesOfSources, rulesToWrite } from './rules-to-write.ts'

const rule = (source?: string): ParsedRule => ({
  strength: 'obligatory',
  action: 'use',
  target: 'tabs',
  ...(source === undefined ? {} : { source }),
})

let messages = 0

/** Takes a set: its rules' sources stand in `files`, none where that is empty. */
const parse = (session: SessionRules, files: Array<string>, messageID = `${++messages}`) =>
  session.takeParsed({ parsed: [rule(files[0])], files, restated: [], messageID })

const format = (session: SessionRules, words: string, mode?: Mode): void =>
  session.takeFormatted(session.toFormat()[0]!, { rules: [words], mode })

/** Gives what is written to a file, or why nothing is. */
const written = (session: SessionRules, file: string, rules?: Array<string>): string => {
  const chosen = rulesToWrite(session, { rules }, file)
  return chosen.data?.rules.join() ?? chosen.error ?? ''
}

test('sessions know nothing of each other, and a deleted one is forgotten', async () => {
  const sessions = new PipelineState()
  format(sessions.of('a'), 'x')
  expect([written(sessions.of('a'), 'f'), written(sessions.of('b'), 'f')]).toEqual([
    'x',
    expect.stringContaining('There are no rules to write'),
  ])
  sessions.of('a').shown.remember('/a.md', '')
  const { event } = sessionEvents(sessions)
  await event({ event: { type: 'session.updated', properties: { info: { id: 'a' } } } })
  expect(written(sessions.of('a'), 'f')).toBe('x')
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(written(sessions.of('a'), 'f')).toContain('There are no rules')
  expect(sessions.of('a').shown.paths()).toEqual([])
})

test('200 sessions are remembered, the least recently used one is dropped first', () => {
  const sessions = new PipelineState()
  for (let index = 0; index < 200; index++) format(sessions.of(`${index}`), 'x')
  sessions.of('0')
  sessions.of('200')
  expect(['0', '2', '1'].map((id) => sessions.of(id).sets.length)).toEqual([1, 1, 0])
})

test('each file gets the rules whose sources stand in it', () => {
  const session = new PipelineState().of('a')
  parse(session, ['a.md'])
  parse(session, ['b.md'])
  format(session, 'of a')
  format(session, 'of b')
  expect([written(session, 'a.md'), written(session, 'b.md')]).toEqual(['of a', 'of b'])
  expect(written(session, 'c.md')).toContain('belong to `a.md` and `b.md`')
  expect(written(session, 'b.md', ['of a '])).toContain('these rules belong to `a.md`, by their sources')
  expect(written(session, 'b.md', ['of b'])).toBe('of b')
  expect(written(session, 'b.md', ['other'])).toContain('not the rules that format-rules validated')
  expect(filesOfSources(session, {}).data).toEqual(['a.md', 'b.md'])
  expect(filesOfSources(session, { rules: ['of b'] }).data).toEqual(['b.md'])
  // What was on its way to the file goes with the next rules for it.
  parse(session, ['a.md'])
  expect(written(session, 'a.md')).toContain('Call format-rules first')
})
