// Tests which reported violations are still in a file after further changes, and on which lines.
import { expect, test } from 'bun:test'
import { checksOf, type HeaderTexts, judge } from '../../test/harness/judge.ts'
import { countViolations, shownLine, unresolvedInText, type Violation } from './violations.ts'

const violationAt = (line: number, text: string): Violation => ({ rule: 'r', path: 'a.ts', line, text })

// Two violations were reported: line 2, which was `x: any`, and that the file lacks the `©`.
const REPORTED = [violationAt(2, 'x: any'), { rule: 'r', path: 'a.ts', text: 'the file lacks it' }]
const CHECKS: HeaderTexts = { forbid: 'any', require: '©' }

test.each<[fact: string, fileText: string, present: HeaderTexts, found: Array<number | 'file'>]>([
  ['of two equal lines, the one nearer to line 2 is found', 'x: any\n\n\nx: any', CHECKS, [1, 'file']],
  ['a reported line that a formatter changed is found', "\n  'x': any;\n©", CHECKS, [2]],
  ['a line with another letter than the reported one is not found', "\n  'xs': any;\n©", CHECKS, []],
  ['a file is found as long as it lacks what the rule requires', 'x: unknown', CHECKS, ['file']],
  ['the present patterns of a rule decide, not those of the report', 'x: any', { forbid: 'all' }, []],
])('%s', async (_, fileText, present, found) => {
  const checks = await checksOf(present)
  const unresolved = await unresolvedInText(REPORTED, () => checks, fileText)
  expect(unresolved!.map(({ line = 'file' }) => line)).toEqual(found)
})

test('a reported line of spaces is found again, and no empty line is taken for it', async () => {
  const checks = await checksOf({ forbid: '^\\s+$' })
  const unresolved = await unresolvedInText([violationAt(2, shownLine('  '))], () => checks, 'a\n\n\n  \n')
  expect(unresolved!.map(({ line }) => line)).toEqual([4])
})

test.each([['A=1\nB=2\n', []], ['', []], ['A=1\n\n', [2]]])(
  'in %j, a reported blank line is found at %j',
  async (fileText, found) => {
    const checks = await checksOf({ forbid: '^$' })
    const unresolved = await unresolvedInText([violationAt(2, '')], () => checks, fileText)
    expect(unresolved!.map(({ line }) => line!)).toEqual(found)
  },
)

test.each<[reported: Array<number>, now: Array<number>, found: Array<number>]>([
  [[1, 3], [11, 13], [11, 13]],
  [[1, 3], [3], [3]],
  // Two lines were inserted above; line 1 is a new one.
  [[3, 5], [1, 5, 7], [5, 7]],
])('identical lines, reported at %j and now at %j, are found at %j', async (reported, now, found) => {
  const checks = await checksOf({ forbid: 'any' })
  const lines = Array<string>(13).fill('')
  for (const line of now) lines[line - 1] = 'x: any'
  const violations = reported.map((line) => violationAt(line, 'x: any'))
  const unresolved = await unresolvedInText(violations, () => checks, lines.join('\n'))
  expect(unresolved!.map(({ line }) => line!)).toEqual(found)
})

// A report lists 20 of 30 lines and only counts the other 10. Together, two reports list 20 and count 40.
const reportOf30 = async (line: string) =>
  (await judge({ forbid: 'any' }, [null, `${line}\n`.repeat(30)])).broken

test.each<[fact: string, reported: Array<string>, fileText: string, listed: number, unlisted: Array<number>]>(
  [
    ['still count while a listed line is left', ['x: any'], 'x: any\n', 1, [10]],
    ['do not count if no listed line is left', ['x: any'], 'x: unknown\n', 0, []],
    ['of two reports count together', ['x: any', 'y: any'], 'x: any\ny: any\n'.repeat(30), 20, [40]],
  ],
)('unlisted lines %s', async (_, reported, fileText, listed, unlisted) => {
  const checks = await checksOf({ forbid: 'any' })
  const reports = await Promise.all(reported.map(reportOf30))
  const unresolved = await unresolvedInText(reports.flat(), () => checks, fileText)
  expect(unresolved!.filter(({ line }) => line !== undefined)).toHaveLength(listed)
  expect(unresolved!.flatMap(({ more }) => more ?? [])).toEqual(unlisted)
  expect(countViolations(unresolved!)).toBe(listed + (unlisted[0] ?? 0))
})
