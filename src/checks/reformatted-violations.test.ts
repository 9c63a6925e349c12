import { expect, test } from 'bun:test'
import { checksOf, fileOf, type FileTexts } from '../../test/harness/judge.ts'
import { linesAfterFormatting } from '../steps/lines-after-formatting.ts'
import { TimeBudget } from './budget.ts'
import { reformattedViolations } from './reformatted-violations.ts'

// Each row has the text before the step, after its calls, and after the formatter. The line `f(x: any, y)` was reported.
test.each<[what: string, texts: FileTexts, found: Array<string>]>([
  [
    'is found where a formatter splits it',
    ['f(x: any, y)\n', 'if (a) {\nf(x: any, y)\n}\n', 'if (a) {\n  f(\n    x: any,\n    y,\n  );\n}\n'],
    ['3 x: any,'],
  ],
  ['is not found if the call fixed it', ['f(x: any, y)\n', 'f(x, y)\n', 'f(\n  x,\n  y,\n)\n'], []],
  ['is not found if the formatter fixed it', ['f(x: any, y)\n', 'f(x: any, y)\nb\n', 'f(x, y)\nb\n'], []],
])('a reported line %s', async (_, texts, found) => {
  const checks = await checksOf({ forbid: 'any' })
  const reported = [{ rule: 'r', path: 'a.ts', line: 1, text: 'f(x: any, y)' }]
  const args = [fileOf('a.ts', texts), () => checks, linesAfterFormatting, new TimeBudget()] as const
  const violations = await reformattedViolations(reported, ...args)
  expect(violations.map(({ line, text }) => `${line} ${text}`)).toEqual(found)
})
