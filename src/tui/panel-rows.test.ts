/** Unit tests of the panel, and of the list that `/rules` opens. */
import { expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { EMPTY_PANEL, ruleNamed } from '../../test/harness/panel.ts'
import { groupByState, NO_RULES, type PanelRule } from '../host/panel-schema.ts'
import { activityIn } from './activity.ts'
import { cut, cutPath } from './columns.ts'
import { rowsOf } from './panel-rows.ts'
import { listEntries } from './rules-lines.ts'
import type { SessionView } from './session-view.ts'

const rulesIn = (rules: Array<PanelRule>, joined: Array<{ name: string; file: string }> = []) =>
  groupByState({ ...EMPTY_PANEL, rules, joined })

const FAULT = { title: 'option x', why: 'unknown', note: 'Ignored an invalid option: x: unknown' }

const viewOf = (rules: Partial<SessionView['rules']>, fields: Partial<SessionView> = {}): SessionView => ({
  ...activityIn([]),
  areRulesSent: true,
  isOff: false,
  isUnloaded: false,
  faults: [],
  rules: { ...NO_RULES, ...rules },
  ...fields,
})

const panelTexts = (view: SessionView) => rowsOf(view).map(({ text }) => text)

test('the list has faults first, then rules in natural order, then how to write a rule', () => {
  const rules = {
    inForce: ['rule-10', 'rule-2', 'Rule-1'].map((name) => ruleNamed(name)),
    leftOut: [{ path: 'a/release.md', line: 2, reason: 'no' }],
    instructions: [{ path: 'AGENTS.md' }],
  }
  const entries = listEntries(viewOf(rules, { faults: [FAULT] }))
  expect(entries.map(({ title }) => title).join())
    .toBe('option x,a/release.md:2,Rule-1,rule-2,rule-10,AGENTS.md,How to write a rule')
  expect(entries.at(-1)?.category).toBe(`SAT ${manifest.version}`)
  expect(entries.at(-1)?.text).toContain('forbid: ')
})

test('without rules, the list shows how to write a rule and, if rules are off, "Rules are off" above that', () => {
  expect(listEntries(viewOf({})).map(({ text }) => text)).toEqual([
    expect.stringContaining('.opencode/rules/'),
  ])
  expect(listEntries(viewOf({}, { isOff: true })).map(({ title }) => title))
    .toEqual(['Rules are off', 'How to write a rule'])
})

test('before the first message, the list says that the rules are sent with that message', () => {
  const view = viewOf({ inForce: [ruleNamed('a')] }, { areRulesSent: false })
  expect(listEntries(view).map(({ category }) => category)).toContain('Sent with the first message')
})

const NOT_IN_FORCE = [
  ruleNamed('a', { kind: 'file' }),
  ruleNamed('b', { kind: 'manual' }),
  ruleNamed('c', { unmet: ['agents: plan'] }),
]

test('the panel shows faults, and counts the rules that are not in force', () => {
  expect(panelTexts(viewOf(rulesIn(NOT_IN_FORCE), { faults: [FAULT] })))
    .toEqual(['! option x: unknown', '1 waiting for a file or keyword', '2 not sent, /rules'])
})

test('if the only rule is not in force, the panel counts it and does not say "No rules yet"', () => {
  for (const rule of NOT_IN_FORCE) {
    expect(panelTexts(viewOf(rulesIn([rule])))).toEqual([expect.stringMatching(/^1 /)])
  }
})

test('the panel says that rules are off', () => {
  expect(panelTexts(viewOf({}, { isOff: true }))).toContain('Rules are off')
})

test('the panel shows the end of the path of a file that lacks a required text', () => {
  const broken = [{ rule: 'needs-a-license', path: 'src/components/of/some/depth/App.tsx', text: 'lacks' }]
  expect(panelTexts(viewOf({ broken }))).toContainEqual(expect.stringMatching(/^! ….*App\.tsx$/))
})

test('the panel counts all lines that break a rule, including unlisted lines', () => {
  const lines = Array.from({ length: 5 }, (_, line) => ({ rule: 'r', path: 'a.ts', line, text: 'x' }))
  const broken = [...lines, { rule: 'r', path: 'a.ts', text: 'and 11 more lines', more: 11 }]
  expect(panelTexts(viewOf({ broken }))).toContain('12 more to fix, /rules')
})

test("if a file makes a rule apply, the row shows the end of the file's path and the rule's tokens", () => {
  const joined = [{ name: 'a', file: 'src/components/of/some/depth/App.tsx' }]
  const view = viewOf(rulesIn([ruleNamed('a', { kind: 'file' })], joined))
  const ruleRow = rowsOf(view).find(({ text }) => text.startsWith('•'))
  expect(ruleRow?.muted).toMatch(/^….*App\.tsx ~2$/)
})

test('control characters in names of files, and in lines that break a rule, are made visible', () => {
  const path = 'a\u001b[2J\nb.md'
  const broken = [{ rule: 'a', path, line: 2, text: 'has \t' }]
  const leftOut = [{ path, line: 2, reason: 'no' }]
  const view = viewOf({ leftOut, broken, instructions: [{ path }], folders: [path] })
  const lines = listEntries(view).map(({ title, why }) => title + why)
  expect(JSON.stringify(lines)).toContain('a⟦U+001B⟧[2J⟦U+000A⟧b.md')
  for (const line of [...lines, ...panelTexts(view)]) expect(line).not.toMatch(/\p{Cc}/u)
})

test.each([
  [cut, '日本語の名前', 4, '日…'],
  [cut, 'Cafe\u0301', 4, 'Cafe\u0301'],
  [cut, '🎉 party', 4, '🎉 …'],
  [cutPath, 'src/日本語.ts', 6, '…語.ts'],
])('%p shortens %p to %p columns: %p', (shorten, text, width, shortened) => {
  expect(shorten(text, width)).toBe(shortened)
})
