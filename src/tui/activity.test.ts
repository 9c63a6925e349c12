import { expect, test } from 'bun:test'
import { activityIn } from './activity.ts'

const NOTHING_DONE = activityIn([])
const CHECK_CUT_SHORT = { unchecked: { lines: 3, rules: 1 } }
const TWO_FAILING = [{ command: 'x', why: 'was not found' }, { command: 'y\u202e', why: 'failed' }]

/** Each item of `calls` is the data that SAT stored in one call. */
test.each<[what: string, calls: Array<unknown>, activity: object]>([
  ['a file formatted twice counts once', [{ formatted: ['a'] }, { formatted: ['a', 'b'] }], { formatted: 2 }],
  ['corrected calls are counted', [{ corrected: true }, {}], { corrected: 1 }],
  ['unchecked lines are added up', [CHECK_CUT_SHORT, CHECK_CUT_SHORT], { unchecked: { lines: 6, rules: 2 } }],
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

test('activity: if the error of a refused write names rules, they count as shown', () => {
  const clauses = ['The rule `api` applies to it', 'The rules ``a`b``, `c` apply to them']
  const errors = clauses.map((clause) => `Rules come first: \`a\` is not written yet. ${clause} and`)
  expect(activityIn(errors.map((error) => ({ state: { error } }))).shownBeforeWrite).toBe(3)
})
