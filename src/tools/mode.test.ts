import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { describeIssue } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { modeIssues } from './mode.ts'

const WITH_REASON = 'Rule: use tabs\nReason: They are wider.'

test.each<[mode: Mode, rule: string]>([
  ['verbose', WITH_REASON],
  ['verbose', ' Rule: use tabs\r\nReason: They are wider.\n'],
  ['verbose', 'Rule: use tabs:\n  - in Go\n  - in C\nReason: They are wider.'],
  ['balanced', WITH_REASON],
  ['balanced', 'Rule: use tabs'],
  ['concise', '- use tabs'],
  ['concise', '- do not write `Reason:` in a commit'],
])('the mode %s allows the rule %j', (mode, rule) => {
  expect(modeIssues([rule], mode)).toEqual([])
})

test.each<[mode: Mode, rule: string]>([
  ['verbose', 'Rule: use tabs'],
  ['verbose', 'Reason: They are wider.\nRule: use tabs'],
  ['balanced', 'use tabs'],
  ['balanced', 'Rule:\nuse tabs'],
  ['balanced', 'Rule: use tabs\nReason:'],
  ['balanced', 'Rule: a\nReason: b\nReason: c'],
  ['concise', '* use tabs'],
  ['concise', '- '],
  ['concise', '- use tabs\n- use spaces'],
  ['concise', '- do not `write`. Reason: `x`'],
])('the mode %s does not allow the rule %j', (mode, rule) => {
  const [issue] = modeIssues([WITH_REASON, rule], mode).filter(({ path }) => path[1] === 1)
  expect(describeIssue(issue!)).toMatch(new RegExp(`for mode ${mode}: .*; got rule 2: "`))
})

test('in the mode verbose, a rule that was parsed without a reason needs none, but may have one', () => {
  const withReason = toParsedRule('obligatory, use, tabs')
  const parsed = [{ ...withReason, reason: ' ' }, { ...withReason, reason: undefined }, withReason]
  expect(modeIssues(['Rule: use tabs', WITH_REASON], 'verbose', parsed)).toEqual([])
  // The fourth rule was not parsed.
  const withoutReasons = Array<string>(4).fill('Rule: use tabs')
  expect(modeIssues(withoutReasons, 'verbose', parsed).map(({ path }) => path[1])).toEqual([2, 3])
})
