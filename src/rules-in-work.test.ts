import { expect, test } from 'bun:test'
import type { ParsedRule } from './rule-schema.ts'
import { forgetDeleted, RulesInWork } from './rules-in-work.ts'

const PARSED: Array<ParsedRule> = [{ strength: 'obligatory', action: 'use', target: 'tabs', reason: 'x' }]
const FORMATTED = { rules: ['Rule: use tabs'], mode: undefined }

test('sessions know nothing of each other', () => {
  const sessions = new RulesInWork()
  sessions.rememberParsed('a', PARSED)
  sessions.rememberFormatted('b', FORMATTED)
  expect([sessions.parsed('a'), sessions.parsed('b')]).toEqual([PARSED, undefined])
  expect([sessions.formatted('a'), sessions.formatted('b')]).toEqual([undefined, FORMATTED])
})

test('a new parse lets go of what was formatted before it, formatting keeps what was parsed', () => {
  const sessions = new RulesInWork()
  sessions.rememberParsed('a', PARSED)
  sessions.rememberFormatted('a', FORMATTED)
  expect([sessions.parsed('a'), sessions.formatted('a')]).toEqual([PARSED, FORMATTED])
  sessions.rememberFormatted('a', undefined)
  expect([sessions.parsed('a'), sessions.formatted('a')]).toEqual([PARSED, undefined])
  sessions.rememberFormatted('a', FORMATTED)
  sessions.rememberParsed('a', [])
  expect([sessions.parsed('a'), sessions.formatted('a')]).toEqual([[], undefined])
})

test('200 sessions are remembered, the one that spoke longest ago goes first', () => {
  const sessions = new RulesInWork()
  for (let index = 0; index < 200; index++) sessions.rememberParsed(`s${index}`, PARSED)
  sessions.rememberFormatted('s0', FORMATTED)
  sessions.rememberParsed('new', PARSED)
  expect(['s0', 's1', 's2', 'new'].map((id) => sessions.parsed(id) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
})

test('a deleted session is forgotten, any other event is none of its business', async () => {
  const sessions = new RulesInWork()
  const { event } = forgetDeleted(sessions)
  sessions.rememberParsed('a', PARSED)
  await event({ event: { type: 'session.idle', properties: { sessionID: 'a' } } })
  await event({ event: { type: 'session.deleted', properties: null } })
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'b' } } } })
  expect(sessions.parsed('a')).toEqual(PARSED)
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(sessions.parsed('a')).toBeUndefined()
})
