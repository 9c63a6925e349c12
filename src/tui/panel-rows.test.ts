import { expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { groupByState, NO_RULES, type PanelRule, readSessionRules } from '../host/panel-schema.ts'
import { diffBlocks } from './block-diff.ts'
import { cut, cutPath } from './columns.ts'
import { rowsOf } from './panel-rows.ts'
import { listEntries } from './rules-lines.ts'
import { activityIn, type SessionView, withDisk } from './session-view.ts'

const mark = (data: unknown) => ({ type: 'tool', state: { metadata: { diff: '', 'opencode-sat': data } } })

const refused = (rules: string) => {
  const error = `Error: Rules come first: \`src/a.ts\` is not written yet. ${rules} was not shown yet`
  return { type: 'tool', state: { status: 'error', error } }
}

test('each formatted file is counted once over all calls; a formatter that works again is not failing', () => {
  const failed = (command: string, why: string) => [{ command, why }]
  const unchecked = { lines: 3, rules: 1 }
  const parts = [
    mark({ formatted: ['a.ts'], corrected: true, failed: failed('x', 'was not found') }),
    mark({ formatted: ['a.ts', 'b.ts'], failed: failed('y\u202e', 'failed'), mended: ['x'], unchecked }),
    // Data of another version, or invalid data.
    ...[null, 5, { formatted: 'all', corrected: 'yes', failed: [null] }].map(mark),
    { type: 'tool', state: 'pending' },
    refused('The rule `api` applies to it and'),
    refused('The rules ``a`b``, `c` apply to them and'),
  ]
  const failing = failed('y⟦U+202E⟧', 'failed')
  expect(activityIn(parts)).toEqual({ formatted: 2, corrected: 1, shownBeforeWrite: 3, unchecked, failing })
})

const rule = (name: string, more: Partial<PanelRule> = {}): PanelRule => ({
  name,
  path: `${name}.md`,
  kind: 'always',
  bytes: 8,
  ...more,
})

const EMPTY = { rules: [], joined: [], leftOut: [], broken: [], faults: [], instructions: [], folders: [] }

const viewOf = (rules: Partial<SessionView['rules']>, more: Partial<SessionView> = {}): SessionView => ({
  ...activityIn([]),
  rules: { ...NO_RULES, ...rules },
  isSent: true,
  isOff: false,
  isUnloaded: false,
  faults: [{ title: 'option x', why: 'unknown', note: 'Ignored an invalid option: x: unknown' }],
  ...more,
})

const namesOf = (rules: Array<{ name: string }>) => rules.map(({ name }) => name)

test('faults come first; names are in natural order', () => {
  const view = viewOf({
    inForce: ['rule-10', 'rule-2', 'Rule-1'].map((name) => rule(name)),
    leftOut: [{ path: 'a/release.md', line: 2, reason: 'no' }],
    instructions: [{ path: 'AGENTS.md' }],
  })
  expect(listEntries(view).map(({ title }) => title).join())
    .toBe('option x,a/release.md:2,Rule-1,rule-2,rule-10,AGENTS.md,How to write a rule')
  expect(listEntries(viewOf({})).at(1)?.text).toContain('.opencode/rules/')
  expect(listEntries(viewOf({}, { isOff: true })).at(1)?.title).toBe('Rules are off')
  // The last entry says how to write a rule, with an example that is checked. Its category has the version.
  const category = `SAT ${manifest.version}`
  expect(listEntries(view).at(-1)).toMatchObject({ category, text: expect.stringContaining('forbid: ') })
})

test('changes on the disk since the last message count, unless the project is on another machine', () => {
  const fault = { path: 'gone.md', reason: 'no' }
  const sent = groupByState({ ...EMPTY, rules: [rule('a')], leftOut: [fault] })
  const unmet = rule('c', { unmet: ['agents: plan'] })
  const disk = groupByState({ ...EMPTY, rules: [rule('a'), unmet, rule('w', { kind: 'file' })] })
  const here = withDisk(sent, disk)
  expect([here.leftOut, namesOf(here.unmet), namesOf(here.waiting)]).toEqual([[], ['c'], ['w']])
  expect(withDisk(sent, NO_RULES, false).leftOut).toEqual([fault])
})

test('the panel counts the rules that are not in force', () => {
  const shownOf = (...rules: Array<PanelRule>) => groupByState({ ...EMPTY, rules })
  const textsOf = (view: SessionView) => rowsOf(view).map(({ text }) => text)
  const waiting = rule('a', { kind: 'file' })
  const others = [waiting, rule('b', { kind: 'manual' }), rule('c', { unmet: ['agents: plan'] })]
  const rows = ['! option x: unknown', '1 waiting for a file', '2 not sent, /rules']
  expect(textsOf(viewOf(shownOf(...others)))).toEqual(rows)
  for (const other of others) {
    expect(textsOf(viewOf(shownOf(other), { faults: [] }))).toEqual([expect.stringMatching(/^1 /)])
  }
  expect(textsOf(viewOf({}, { isOff: true }))).toContain('Rules are off')
  const joined = [{ name: 'a', file: 'src/components/of/some/depth/App.tsx' }]
  const view = viewOf(groupByState({ ...EMPTY, rules: [waiting], joined }), { isSent: false })
  expect(rowsOf(view).map(({ muted }) => muted).at(2)).toMatch(/^….*App\.tsx ~2$/)
  expect(listEntries(view).map(({ category }) => category)).toContain('Sent with the first message')
})

test('a file name stays on its line, and an impossible number of bytes is invalid', () => {
  const path = 'a\u001b[2J\nb.md'
  const fault = { path, line: 2, reason: 'no' }
  const broken = [{ rule: 'a', path, line: 2, text: 'has \t' }]
  const view = viewOf({ leftOut: [fault], broken, instructions: [{ path }], folders: [path] })
  const texts = [...rowsOf(view), ...listEntries(view).flatMap(({ title, why, note }) => [title, why, note])]
  expect(JSON.stringify(texts)).toContain('a⟦U+001B⟧[2J⟦U+000A⟧b.md')
  for (const row of rowsOf(view)) expect(row.text).not.toMatch(/\p{Cc}/u)
  for (const { title, why } of listEntries(view)) expect(title + why).not.toMatch(/\p{Cc}/u)
  for (const [bytes, isValid] of [[1e20, false], [-1, false], [1, true]] as const) {
    const panel = { ...EMPTY, rules: [rule('a name of eighteen', { bytes })] }
    const read = readSessionRules([{ type: 'text', metadata: { 'opencode-sat': panel } }])
    expect(read !== null).toBe(isValid)
  }
})

test('a switched-off rule has no faults and no broken lines, even if it was just saved', () => {
  const rules = [rule('a'), rule('b')]
  const broken = rules.map(({ name }) => ({ rule: name, path: 'x.ts', text: 'no' }))
  const leftOut = rules.map(({ path }) => ({ path, reason: 'no', isSent: true as const }))
  const panel = { ...EMPTY, rules, broken, leftOut }
  const shown = withDisk(groupByState(panel, new Set(['a.md'])), groupByState(panel))
  expect([namesOf(shown.off), namesOf(shown.inForce), shown.joining]).toEqual([['a'], ['b'], []])
  expect(shown.broken.map(({ rule }) => rule)).toEqual(['b'])
  expect(shown.leftOut.map(({ path }) => path)).toEqual(['b.md'])
})

test.each<[(text: string, width: number) => string, string, number, string]>([
  [cut, '日本語の名前', 4, '日…'],
  [cut, '日本語', 6, '日本語'],
  [cut, 'Cafe\u0301', 4, 'Cafe\u0301'],
  [cut, '🎉 party', 4, '🎉 …'],
  [cutPath, 'src/日本語.ts', 6, '…語.ts'],
  [cutPath, 'src/components/App.tsx', 8, '…App.tsx'],
])(
  '%p cuts %p to %p columns: %p',
  (shorten, text, width, expected) => expect(shorten(text, width)).toBe(expected),
)

test('a changed block is removed as a whole, and its replacement is added as a whole', async () => {
  const diff = await diffBlocks('Same.\n\n- a\n- b\n\n- c\n', 'Same.\n\nProse a\nb\n\nc, too\n')
  expect(diff.map(({ sign, text }) => sign + text)).toEqual([
    ' Same.',
    '-- a\n- b\n\n- c',
    '+Prose a\nb\n\nc, too',
  ])
  expect(await diffBlocks('', 'x\n')).toEqual([{ sign: '+', text: 'x' }])
})
