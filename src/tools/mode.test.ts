import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { describeIssue } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { modeIssues } from './mode.ts'

const WITH_REASON = 'Rule: use tabs\nReason: They are wider.'

test.each<[mode: Mode, rule: string, isAllowed: boolean]>([
  ['verbose', ' Rule: use tabs\r\nReason: They are wider.\n', true],
  ['verbose', 'Rule: use tabs:\n  - in Go\n  - in C\nReason: They are wider.', true],
  ['verbose', 'Rule: use tabs', false],
  ['verbose', 'Reason: They are wider.\nRule: use tabs', false],
  ['balanced', WITH_REASON, true],
  ['balanced', 'Rule: use tabs', true],
  ['balanced', 'use tabs', false],
  ['balanced', 'Rule:\nuse tabs', false],
  ['balanced', 'Rule: use tabs\nReason:', false],
  ['balanced', 'Rule: a\nReason: b\nReason: c', false],
  ['concise', '- use tabs', true],
  ['concise', '- do not write `Reason:` in a commit', true],
  ['concise', '* use tabs', false],
  ['concise', '- ', false],
  ['concise', '- use tabs\n- use spaces', false],
  ['concise', '- do not `write`. Reason: `x`', false],
])('in the mode %s, the rule %j is allowed: %j', (mode, rule, isAllowed) => {
  // Only the issues of the second rule count.
  const issues = modeIssues([WITH_REASON, rule], mode).filter(({ path }) => path[1] === 1)
  const expected = expect.stringMatching(new RegExp(`for mode ${mode}: .*; got rule 2: "`))
  expect(issues.map((issue) => describeIssue(issue))).toEqual(isAllowed ? [] : [expected])
})

test('in the mode verbose, a reason is optional for a rule that was parsed without a reason', () => {
  const withReason = toParsedRule('obligatory, use, tabs')
  const parsed = [{ ...withReason, reason: ' ' }, { ...withReason, reason: undefined }, withReason]
  expect(modeIssues(['Rule: use tabs', WITH_REASON], 'verbose', parsed)).toEqual([])
  // The fourth rule was not parsed.
  const withoutReasons = Array<string>(4).fill('Rule: use tabs')
  expect(modeIssues(withoutReasons, 'verbose', parsed).map(({ path }) => path[1])).toEqual([2, 3])
})
