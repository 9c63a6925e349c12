import { expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { groupByState, NO_RULES, type PanelRule, readSessionRules } from '../host/panel-schema.ts'
import { cut, cutPath } from './columns.ts'
import { rowsOf } from './panel-rows.ts'
import { listEntries } from './rules-lines.ts'
import { activityIn, type SessionView, withDisk } from './session-view.ts'

const activityOf = (states: Array<unknown>) => activityIn(states.map((state) => ({ type: 'tool', state })))

const stateWith = (data: unknown) => ({ metadata: { diff: '', 'opencode-sat': data } })

test('the activity counts files once, and lists the formatters that still fail; invalid data is ignored', () => {
  const unchecked = { lines: 3, rules: 1 }
  const states = [
    stateWith({ formatted: ['a.ts'], corrected: true, failed: [{ command: 'x', why: 'was not found' }] }),
    stateWith({ formatted: ['a.ts', 'b.ts'], failed: [{ command: 'y\u202e', why: 'failed' }], unchecked }),
    stateWith({ mended: ['x'] }),
    ...[null, 5, { formatted: 'all', corrected: 'yes', failed: [null] }].map(stateWith),
    'pending',
  ]
  const failing = [{ command: 'y⟦U+202E⟧', why: 'failed' }]
  expect(activityOf(states)).toEqual({ formatted: 2, corrected: 1, shownBeforeWrite: 0, unchecked, failing })
})

test('the activity counts the rules that SAT showed when it refused to write a file', () => {
  const refused = (rules: string) => ({ error: `Rules come first: \`a\` is not written yet. ${rules} and` })
  const [one, two] = ['The rule `api` applies to it', 'The rules ``a`b``, `c` apply to them'].map(refused)
  expect([[one], [two], [one, two]].map((states) => activityOf(states).shownBeforeWrite)).toEqual([1, 2, 3])
})

const ruleNamed = (name: string, fields: Partial<PanelRule> = {}): PanelRule => ({
  name,
  path: `${name}.md`,
  kind: 'always',
  bytes: 8,
  ...fields,
})

const NO_FAULTS = { leftOut: [], broken: [], faults: [] }
const EMPTY_PANEL = { ...NO_FAULTS, rules: [], joined: [], instructions: [], folders: [] }
const FAULT = { title: 'option x', why: 'unknown', note: 'Ignored an invalid option: x: unknown' }

const viewOf = (rules: Partial<SessionView['rules']>, fields: Partial<SessionView> = {}): SessionView => ({
  ...activityIn([]),
  areRulesSent: true,
  isOff: false,
  isUnloaded: false,
  faults: [FAULT],
  rules: { ...NO_RULES, ...rules },
  ...fields,
})

const namesOf = (rules: Array<{ name: string }>) => rules.map(({ name }) => name)
const textsOf = (view: SessionView) => rowsOf(view).map(({ text }) => text)

test('the list has faults first, then rules in natural order, then how to write a rule', () => {
  const view = viewOf({
    inForce: ['rule-10', 'rule-2', 'Rule-1'].map((name) => ruleNamed(name)),
    leftOut: [{ path: 'a/release.md', line: 2, reason: 'no' }],
    instructions: [{ path: 'AGENTS.md' }],
  })
  expect(listEntries(view).map(({ title }) => title).join())
    .toBe('option x,a/release.md:2,Rule-1,rule-2,rule-10,AGENTS.md,How to write a rule')
  const howTo = listEntries(view).at(-1)
  expect(howTo?.category).toBe(`SAT ${manifest.version}`)
  expect(howTo?.text).toContain('forbid: ')
})

test('without rules, the entry after the faults says how to write a rule or, if so, that rules are off', () => {
  expect(listEntries(viewOf({})).at(1)?.text).toContain('.opencode/rules/')
  expect(listEntries(viewOf({}, { isOff: true })).at(1)?.title).toBe('Rules are off')
})

test('a view follows the disk: new rules are shown, and fixed faults are not', () => {
  const fault = { path: 'gone.md', reason: 'no' }
  const stored = groupByState({ ...EMPTY_PANEL, rules: [ruleNamed('a')], leftOut: [fault] })
  const newRules = [ruleNamed('c', { unmet: ['agents: plan'] }), ruleNamed('w', { kind: 'file' })]
  const disk = groupByState({ ...EMPTY_PANEL, rules: [ruleNamed('a'), ...newRules] })
  const shown = withDisk(stored, disk)
  expect([shown.leftOut, namesOf(shown.unmet), namesOf(shown.waiting)]).toEqual([[], ['c'], ['w']])
  // If the project is on another machine, this disk does not show whether a fault is fixed.
  expect(withDisk(stored, disk, false).leftOut).toEqual([fault])
})

test('the panel counts the rules that are not in force, and says if rules are off', () => {
  const rulesIn = (...rules: Array<PanelRule>) => groupByState({ ...EMPTY_PANEL, rules })
  const unmet = ruleNamed('c', { unmet: ['agents: plan'] })
  const notInForce = [ruleNamed('a', { kind: 'file' }), ruleNamed('b', { kind: 'manual' }), unmet]
  const rows = ['! option x: unknown', '1 waiting for a file', '2 not sent, /rules']
  expect(textsOf(viewOf(rulesIn(...notInForce)))).toEqual(rows)
  // If a session has only one of these, the panel does not say that there are no rules.
  for (const rule of notInForce) {
    expect(textsOf(viewOf(rulesIn(rule), { faults: [] }))).toEqual([expect.stringMatching(/^1 /)])
  }
  expect(textsOf(viewOf({}, { isOff: true }))).toContain('Rules are off')
})

test('the row of a rule shows its tokens and the end of the path that brought it in', () => {
  const joined = [{ name: 'a', file: 'src/components/of/some/depth/App.tsx' }]
  const rules = groupByState({ ...EMPTY_PANEL, rules: [ruleNamed('a', { kind: 'file' })], joined })
  const ruleRow = rowsOf(viewOf(rules)).find(({ text }) => text.startsWith('•'))
  expect(ruleRow?.muted).toMatch(/^….*App\.tsx ~2$/)
})

test('before the first message, the list says that the rules are sent with it', () => {
  const view = viewOf({ inForce: [ruleNamed('a')] }, { areRulesSent: false })
  expect(listEntries(view).map(({ category }) => category)).toContain('Sent with the first message')
})

test('control characters in names of files, and in lines that break a rule, are made visible', () => {
  const path = 'a\u001b[2J\nb.md'
  const broken = [{ rule: 'a', path, line: 2, text: 'has \t' }]
  const leftOut = [{ path, line: 2, reason: 'no' }]
  const view = viewOf({ leftOut, broken, instructions: [{ path }], folders: [path] })
  const lines = listEntries(view).map(({ title, why }) => title + why)
  expect(JSON.stringify(lines)).toContain('a⟦U+001B⟧[2J⟦U+000A⟧b.md')
  for (const line of [...lines, ...textsOf(view)]) expect(line).not.toMatch(/\p{Cc}/u)
})

test.each([[1e20, false], [-1, false], [1, true]])('a rule of %p bytes is valid: %p', (bytes, isValid) => {
  const panel = { ...EMPTY_PANEL, rules: [ruleNamed('a', { bytes })] }
  expect(readSessionRules([{ type: 'text', metadata: { 'opencode-sat': panel } }]) !== null).toBe(isValid)
})

test('a switched-off rule shows no faults of its checks and no broken lines, and is not listed as joining', () => {
  // Each rule has a line that breaks it, and a fault of its checks (`isSent`).
  const rules = [ruleNamed('a'), ruleNamed('b')]
  const broken = rules.map(({ name }) => ({ rule: name, path: 'x.ts', text: 'no' }))
  const leftOut = rules.map(({ path }) => ({ path, reason: 'no', isSent: true as const }))
  const panel = { ...EMPTY_PANEL, rules, broken, leftOut }
  const stored = groupByState(panel, new Set(['a.md']))
  // Only the session stores which rules are switched off, so here all count as on.
  const disk = groupByState(panel)
  const shown = withDisk(stored, disk)
  expect([namesOf(shown.off), namesOf(shown.inForce), shown.joining]).toEqual([['a'], ['b'], []])
  expect(shown.broken.map(({ rule }) => rule)).toEqual(['b'])
  expect(shown.leftOut.map(({ path }) => path)).toEqual(['b.md'])
})

test.each([
  [cut, '日本語の名前', 4, '日…'],
  [cut, 'Cafe\u0301', 4, 'Cafe\u0301'],
  [cut, '🎉 party', 4, '🎉 …'],
  [cutPath, 'src/日本語.ts', 6, '…語.ts'],
])('%p shortens %p to %p columns: %p', (shorten, text, width, shortened) => {
  expect(shorten(text, width)).toBe(shortened)
})
