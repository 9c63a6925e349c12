import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { describeIssue } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { modeIssues } from './mode.ts'

const WITH_REASON = 'Rule: use tabs\nReason: They are wider.'

const CASES: Array<{ mode: Mode; rule: string; isWrong?: boolean }> = [
  { mode: 'verbose', rule: WITH_REASON },
  { mode: 'verbose', rule: ' Rule: use tabs\r\nReason: They are wider.\n' },
  { mode: 'verbose', rule: 'Rule: use tabs:\n  - in Go\n  - in C\nReason: They are wider.' },
  { mode: 'verbose', rule: 'Rule: use tabs', isWrong: true },
  { mode: 'verbose', rule: 'Reason: They are wider.\nRule: use tabs', isWrong: true },
  { mode: 'balanced', rule: WITH_REASON },
  { mode: 'balanced', rule: 'Rule: use tabs' },
  { mode: 'balanced', rule: 'use tabs', isWrong: true },
  { mode: 'balanced', rule: 'Rule:\nuse tabs', isWrong: true },
  { mode: 'balanced', rule: 'Rule: use tabs\nReason:', isWrong: true },
  { mode: 'balanced', rule: 'Rule: a\nReason: b\nReason: c', isWrong: true },
  { mode: 'concise', rule: '- use tabs' },
  { mode: 'concise', rule: '* use tabs', isWrong: true },
  { mode: 'concise', rule: '- ', isWrong: true },
  { mode: 'concise', rule: '- use tabs\n- use spaces', isWrong: true },
  { mode: 'concise', rule: '- use tabs. Reason: They are wider.', isWrong: true },
  { mode: 'concise', rule: '- do not write `Reason:` in a commit' },
  { mode: 'concise', rule: '- do not `write`. Reason: `x`', isWrong: true },
]

test.each(CASES)('the form of a rule: %j', ({ mode, rule, isWrong = false }) => {
  const issues = modeIssues(['- use spaces', rule], mode).filter(({ path }) => path[1] === 1)
  const words = expect.stringMatching(new RegExp(`for mode ${mode}: .*; got rule 2: "`))
  expect(issues.map((issue) => describeIssue(issue))).toEqual(isWrong ? [words] : [])
})

test('a rule that was parsed without a reason needs none in verbose, and may have one', () => {
  const withReason = toParsedRule('obligatory, use, tabs')
  const parsed = [{ ...withReason, reason: ' ' }, { ...withReason, reason: undefined }, withReason]
  expect(modeIssues(['Rule: use tabs', WITH_REASON], 'verbose', parsed)).toEqual([])
  const withoutReasons = Array<string>(4).fill('Rule: use tabs')
  expect(modeIssues(withoutReasons, 'verbose', parsed).map(({ path }) => path)).toEqual([
    ['rules', 2],
    ['rules', 3],
  ])
})
