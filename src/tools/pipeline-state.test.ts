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

test('where two files say the same, one has to be named', () => {
  const session = new PipelineState().of('a')
  parse(session, ['a.md', 'b.md'])
  format(session, 'x')
  expect(filesOfSources(session, {}).error).toContain('`a.md` or `b.md` alike')
  expect(written(session, 'b.md')).toBe('x')
  // Once it was written to one of them, the other one has to be named, too.
  session.takeWritten(session.sets[0]!, 'a.md')
  parse(session, ['c.md'])
  format(session, 'y')
  expect(filesOfSources(session, {}).data).toEqual(['c.md'])
})

test('two sets without sources in one message are never mixed', () => {
  const session = new PipelineState().of('a')
  parse(session, [], 'm')
  parse(session, [], 'm')
  format(session, 'x')
  format(session, 'y')
  expect(written(session, 'a.md')).toContain('in one message')
  expect(rulesToWrite(session, {}).error).toContain('in one message')
  expect(written(session, 'a.md', ['y'])).toBe('y')
  // Of the next message, or once the first one was written, there is one set.
  parse(session, [], 'n')
  format(session, 'z')
  expect(written(session, 'a.md')).toBe('z')
  session.sets[0]!.messageID = undefined
  parse(session, [], 'n')
  format(session, 'w')
  expect(written(session, 'a.md')).toBe('w')
})

test('what was refused is never written', () => {
  const session = new PipelineState().of('a')
  parse(session, [])
  format(session, 'x')
  session.refuseFormatted(['bad'])
  expect(written(session, 'a.md')).toContain('There are no rules')
  expect(written(session, 'a.md', [' bad\n'])).toContain('format-rules refused these very rules')
  expect(session.isRefused(['bad'])).toBe(true)
  format(session, 'bad')
  expect(written(session, 'a.md', ['bad'])).toBe('bad')
  // Once accepted, rules are no longer the refused ones.
  parse(session, [])
  expect(written(session, 'a.md', ['bad'])).toBe('bad')
  // Rules without sources may be those that parse-rules has refused now.
  session.refuseParsed()
  expect(written(session, 'a.md')).toContain('parse-rules refused the last rules')
  expect(written(session, 'a.md', ['new'])).toContain('parse-rules refused the last rules')
  // To add them replaces nothing.
  expect(rulesToWrite(session, { rules: ['new'] }).data?.rules).toEqual(['new'])
  format(session, 'alone')
  expect(written(session, 'a.md')).toContain('parse-rules refused the last rules')
  expect(written(session, 'a.md', ['alone'])).toContain('parse-rules refused the last rules')
  expect(rulesToWrite(session, {}).data?.rules).toEqual(['alone'])
  parse(session, [])
  expect(written(session, 'a.md', ['new'])).toBe('new')
})

test('sentences without parsed rules are dropped by the next call that is refused', () => {
  const session = new PipelineState().of('a')
  format(session, 'x')
  session.refuseFormatted()
  expect(written(session, 'a.md')).toContain('There are no rules')
})

test('format-rules is about what waits for it, then about the newest set', () => {
  const session = new PipelineState().of('a')
  parse(session, ['a.md'])
  parse(session, ['b.md'])
  format(session, 'of a')
  format(session, 'of b')
  format(session, 'of b, again')
  expect([written(session, 'a.md'), written(session, 'b.md')]).toEqual(['of a', 'of b, again'])
})

test('rules of a file are written though other rules were refused later, rules without sources are not', () => {
  const session = new PipelineState().of('a')
  parse(session, ['a.md'])
  parse(session, [])
  format(session, 'of a')
  format(session, 'alone')
  session.refuseParsed()
  expect(written(session, 'a.md')).toBe('of a')
  expect(rulesToWrite(session, {}).error).toContain('parse-rules refused the last rules')
  expect(written(session, 'a.md', [])).toContain('There are no rules to write')
})

test('add-rules adds what was validated last', () => {
  const session = new PipelineState().of('a')
  expect(rulesToWrite(session, {}).error).toContain('Call format-rules first')
  parse(session, ['a.md'])
  format(session, 'of a')
  parse(session, [])
  format(session, 'alone', 'balanced')
  expect(rulesToWrite(session, {}).data?.rules).toEqual(['alone'])
  expect(rulesToWrite(session, { mode: 'verbose' }).error).toContain('no rules for mode verbose')
  expect(rulesToWrite(session, { rules: ['alone'], mode: 'concise' }).data?.mode).toBe('concise')
})
