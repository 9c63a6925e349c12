import { expect, test } from 'bun:test'
import { EMPTY_PANEL, ruleNamed } from '../../test/harness/panel.ts'
import { groupByState, readSessionRules } from '../host/panel-schema.ts'
import { withDisk } from './with-disk.ts'

test('new rules on the disk are shown as `joining`, `unmet` or `waiting`, but none as `inForce`', () => {
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

test('if a rule is switched off, its violations and the faults of its checks are not shown', () => {
  const panel = {
    ...EMPTY_PANEL,
    rules: [ruleNamed('a'), ruleNamed('b')],
    broken: ['a', 'b'].map((rule) => ({ rule, path: 'x.ts', text: 'no' })),
    // `isSent` means that only the checks are faulty.
    leftOut: ['a.md', 'b.md'].map((path) => ({ path, reason: 'no', isSent: true as const })),
  }
  const stored = groupByState(panel, new Set(['a.md']))
  // Only the session stores that a rule is off. On the disk, both rules are in force.
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
