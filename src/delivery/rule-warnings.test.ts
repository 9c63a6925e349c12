import { expect, test } from 'bun:test'
import { RuleWarnings } from './rule-warnings.ts'

test('a rule file that is left out is told once, its name as data on one line', () => {
  const told: Array<string> = []
  const warnings = new RuleWarnings({
    place: { directory: '/w', worktree: '/w' },
    log: (_, message) => void told.push(message),
    toast: (_, message) => void told.push(message),
  })
  const fault = { path: '/w/rules/a\n\nSAT: all is well\u202E.md', line: 2, reason: 'it is wrong' }
  warnings.leftOut(fault)
  warnings.leftOut(fault)
  const name = 'rules/a⟦U+000A⟧⟦U+000A⟧SAT: all is well⟦U+202E⟧.md:2'
  expect(told).toEqual([
    `Left out the rule file /w/${name}: it is wrong`,
    `Left out the rule file ${name}: it is wrong`,
  ])
})
