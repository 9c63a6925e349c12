// Tests which reported violations are still in a file after further changes, and on which lines.
import { expect, test } from 'bun:test'
import { checksOf, type FileTexts, type HeaderTexts, judge } from '../../test/harness/judge.ts'
import { unresolvedInText } from './unresolved.ts'
import { shownLine, type Violation } from './violations.ts'

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

// Each test reports what a call wrote, and lists the violations in a later text: `3` for a line, `+5` for unlisted ones.
const foundLater = async (written: Array<FileTexts>, fileText: string) => {
  const header = { forbid: 'any' }
  const reports = await Promise.all(written.map((texts) => judge(header, texts)))
  const checks = await checksOf(header)
  const unresolved = await unresolvedInText(reports.flatMap(({ broken }) => broken), () => checks, fileText)
  return unresolved!.map(({ line, more }) => line ?? `+${more}`)
}

test.each<[fact: string, fileText: string, found: Array<number>]>([
  ['the new one is found, also at another place', '// a\nx: any\n\nx: any\n', [4]],
  ['none is found after the new one was fixed', 'x: any\n\nx: unknown\n', []],
  ['the new one is found next to a third', 'x: any\n\nx: any\n\n\n\nx: any\n', [3]],
])('of a line that the file had and an equal new one, %s', async (_, fileText, found) => {
  expect(await foundLater([['x: any\n', 'x: any\n\nx: any\n']], fileText)).toEqual(found)
})

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const linesTo = (count: number, type = 'any') =>
  numbersTo(count).map((line) => `v${line}: ${type}\n`).join('')
const TWENTY_FIXED = linesTo(30).split('\n').map((line, index) => index < 20 ? '' : line).join('\n')

// A report lists 20 of 30 lines and only counts the other 10.
test.each<[fact: string, written: Array<FileTexts>, fileText: string, found: Array<number | string>]>([
  ['if all are there, they are counted', [[null, linesTo(30)]], linesTo(30), [...numbersTo(20), '+10']],
  [
    'if the listed ones were fixed, they are listed',
    [[null, linesTo(30)]],
    TWENTY_FIXED,
    numbersTo(30).slice(20),
  ],
  ['if they were fixed, only listed ones are found', [[null, linesTo(30)]], linesTo(10), numbersTo(10)],
  ['if all were fixed, none is found', [[null, linesTo(30)]], linesTo(30, 'all'), []],
  [
    'if the file had others, they are only counted',
    [['any\nany 2\n', `any\nany 2\n${linesTo(30)}`]],
    `any\nany 2\n${TWENTY_FIXED}`,
    ['+10'],
  ],
  [
    'if the file had others, these are not counted',
    [['any\nany 2\n', `any\nany 2\n${linesTo(30)}`]],
    `any\nany 2\n${linesTo(30, 'all')}`,
    [],
  ],
  [
    'if the person added others, no more are counted than were reported',
    [[null, linesTo(30)]],
    linesTo(50),
    [...numbersTo(20), '+10'],
  ],
  [
    'those of two reports count together',
    [[null, linesTo(30)], [linesTo(30), linesTo(60)]],
    linesTo(60),
    [...numbersTo(20), '+40'],
  ],
])('of 30 reported lines, 10 are unlisted: %s', async (_, written, fileText, found) => {
  expect(await foundLater(written, fileText)).toEqual(found)
})
