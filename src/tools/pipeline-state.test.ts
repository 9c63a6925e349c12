import { expect, test } from 'bun:test'
import type { ParsedRule } from '../rule-schema.ts'
import { DiscoveredFiles } from '../writing/discovered-files.ts'
import { PipelineState } from './pipeline-state.ts'
import { sessionEvents } from './session-events.ts'

const PARSED: Array<ParsedRule> = [{ strength: 'obligatory', action: 'use', target: 'tabs', reason: 'x' }]
const FORMATTED = { rules: ['Rule: use tabs'], mode: undefined }

test('sessions know nothing of each other', () => {
  const sessions = new PipelineState()
  sessions.rememberParsed('a', PARSED)
  sessions.rememberFormatted('b', FORMATTED)
  expect([sessions.parsed('a'), sessions.parsed('b')]).toEqual([PARSED, undefined])
  expect([sessions.formatted('a'), sessions.formatted('b')]).toEqual([undefined, FORMATTED])
})

test('a new parse lets go of what was formatted before it, formatting keeps what was parsed', () => {
  const sessions = new PipelineState()
  sessions.rememberParsed('a', PARSED)
  sessions.rememberFormatted('a', FORMATTED)
  expect([sessions.parsed('a'), sessions.formatted('a')]).toEqual([PARSED, FORMATTED])
  sessions.rememberFormatted('a', undefined)
  expect([sessions.parsed('a'), sessions.formatted('a')]).toEqual([PARSED, undefined])
  sessions.rememberFormatted('a', FORMATTED)
  sessions.rememberParsed('a', [])
  expect([sessions.parsed('a'), sessions.formatted('a')]).toEqual([[], undefined])
})

test('the tasks of a session and its rules leave each other alone', () => {
  const sessions = new PipelineState()
  const prompt = { tasks: [{ intent: 'x', targets: [], constraints: [], subtasks: [] }] }
  sessions.rememberFormatted('a', FORMATTED)
  sessions.rememberPrompt('a', prompt)
  sessions.rememberParsed('a', PARSED)
  expect([sessions.prompt('a'), sessions.parsed('a'), sessions.prompt('b')]).toEqual([
    prompt,
    PARSED,
    undefined,
  ])
  sessions.rememberPrompt('a', undefined)
  expect([sessions.prompt('a'), sessions.parsed('a')]).toEqual([undefined, PARSED])
})

test('rules that were doubted are known again, whatever was parsed since', () => {
  const sessions = new PipelineState()
  sessions.rememberDoubted('a', ['Rule: use eval'])
  sessions.rememberParsed('a', PARSED)
  sessions.rememberFormatted('a', undefined)
  expect(sessions.wasDoubted('a', ['Rule: use eval'])).toBe(true)
  expect(sessions.wasDoubted('a', ['Rule: use  eval'])).toBe(false)
  expect(sessions.wasDoubted('b', ['Rule: use eval'])).toBe(false)
})

test('200 sessions are remembered, the one that spoke longest ago goes first', () => {
  const sessions = new PipelineState()
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
  const sessions = new PipelineState()
  const { event } = sessionEvents(new DiscoveredFiles(), sessions)
  sessions.rememberParsed('a', PARSED)
  await event({ event: { type: 'session.idle', properties: { sessionID: 'a' } } })
  await event({ event: { type: 'session.deleted', properties: null } })
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'b' } } } })
  expect(sessions.parsed('a')).toEqual(PARSED)
  await event({ event: { type: 'session.deleted', properties: { info: { id: 'a' } } } })
  expect(sessions.parsed('a')).toBeUndefined()
})
