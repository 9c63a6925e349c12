/** Tests what the terminal finds in a session's message parts, and how the disk brings the stored rules up to date. */
import { expect, test } from 'bun:test'
import { groupByState, type PanelRule, readSessionRules } from '../host/panel-schema.ts'
import { activityIn, withDisk } from './session-view.ts'

const NOTHING_DONE = activityIn([])
const CHECK_CUT_SHORT = { unchecked: { lines: 3, rules: 1 } }
const TWO_FAILING = [{ command: 'x', why: 'was not found' }, { command: 'y\u202e', why: 'failed' }]

/** Each of `calls` is what SAT stored in one call. */
test.each<[what: string, calls: Array<unknown>, activity: object]>([
  ['a file formatted twice counts once', [{ formatted: ['a'] }, { formatted: ['a', 'b'] }], { formatted: 2 }],
  ['corrected calls are counted', [{ corrected: true }, {}], { corrected: 1 }],
  ['what was not checked adds up', [CHECK_CUT_SHORT, CHECK_CUT_SHORT], { unchecked: { lines: 6, rules: 2 } }],
  [
    'a formatter is failing until it works again',
    [{ failed: TWO_FAILING }, { mended: ['x'] }],
    { failing: [{ command: 'y⟦U+202E⟧', why: 'failed' }] },
  ],
  ['invalid data is ignored', [null, 5, { formatted: 'all', corrected: 'yes', failed: [null] }], {}],
])('activity: %s', (_, calls, activity) => {
  const states = calls.map((data) => ({ metadata: { diff: '', 'opencode-sat': data } }))
  const parts = ['pending', ...states].map((state) => ({ type: 'tool', state }))
  expect(activityIn(parts)).toEqual({ ...NOTHING_DONE, ...activity })
})

test.each<[rules: Array<string>, count: number]>([
  [['The rule `api` applies to it'], 1],
  [['The rules ``a`b``, `c` apply to them'], 2],
  [['The rule `api` applies to it', 'The rules ``a`b``, `c` apply to them'], 3],
])('activity: errors of refused writes that say %j have shown %d rule(s)', (rules, count) => {
  const errors = rules.map((names) => `Rules come first: \`a\` is not written yet. ${names} and`)
  expect(activityIn(errors.map((error) => ({ state: { error } }))).shownBeforeWrite).toBe(count)
})

const EMPTY_PANEL = {
  rules: [],
  joined: [],
  leftOut: [],
  broken: [],
  faults: [],
  instructions: [],
  folders: [],
}

const ruleNamed = (name: string, fields: Partial<PanelRule> = {}): PanelRule => ({
  name,
  path: `${name}.md`,
  kind: 'always',
  bytes: 8,
  ...fields,
})

test('rules that are new on the disk are shown in their states, a new rule in force as joining', () => {
  const stored = groupByState({ ...EMPTY_PANEL, rules: [ruleNamed('a')] })
  const newRules = [
    ruleNamed('b'),
    ruleNamed('c', { unmet: ['agents: plan'] }),
    ruleNamed('w', { kind: 'file' }),
  ]
  const disk = groupByState({ ...EMPTY_PANEL, rules: [ruleNamed('a'), ...newRules] })
  expect(withDisk(stored, disk)).toMatchObject({
    inForce: [{ name: 'a' }],
    joining: [{ name: 'b' }],
    unmet: [{ name: 'c' }],
    waiting: [{ name: 'w' }],
  })
})

test('a fault that was fixed on the disk is not shown, unless the project is on another machine', () => {
  const leftOut = [{ path: 'gone.md', reason: 'no' }]
  const [stored, disk] = [groupByState({ ...EMPTY_PANEL, leftOut }), groupByState(EMPTY_PANEL)]
  expect(withDisk(stored, disk).leftOut).toEqual([])
  // This disk does not show whether a fault on another machine is fixed.
  expect(withDisk(stored, disk, false).leftOut).toEqual(leftOut)
})

test('of a switched-off rule, neither the broken lines nor the faults of its checks are shown', () => {
  const panel = {
    ...EMPTY_PANEL,
    rules: [ruleNamed('a'), ruleNamed('b')],
    broken: ['a', 'b'].map((rule) => ({ rule, path: 'x.ts', text: 'no' })),
    // `isSent` marks a fault of the checks alone.
    leftOut: ['a.md', 'b.md'].map((path) => ({ path, reason: 'no', isSent: true as const })),
  }
  const stored = groupByState(panel, new Set(['a.md']))
  // Which rules are off is stored in the session, not on the disk: there, both are in force.
  expect(withDisk(stored, groupByState(panel))).toMatchObject({
    off: [{ name: 'a' }],
    inForce: [{ name: 'b' }],
    joining: [],
    broken: [{ rule: 'b' }],
    leftOut: [{ path: 'b.md' }],
  })
})

test.each([[1e20, false], [-1, false], [1, true]])(
  'a stored rule of %p bytes is valid: %p',
  (bytes, isValid) => {
    const panel = { ...EMPTY_PANEL, rules: [ruleNamed('a', { bytes })] }
    expect(readSessionRules([{ type: 'text', metadata: { 'opencode-sat': panel } }]) !== null).toBe(isValid)
  },
)
