import { expect, test } from 'bun:test'
import { checksOf, type FileTexts, type HeaderTexts, judge } from '../../test/harness/judge.ts'
import { unresolvedInText } from './unresolved.ts'
import { shownLine, type Violation } from './violations.ts'

const violationAt = (line: number, text: string): Violation => ({ rule: 'r', path: 'a.ts', line, text })

const REPORTED = [violationAt(2, 'x: any'), { rule: 'r', path: 'a.ts', text: 'the file lacks it' }]
const CHECKS: HeaderTexts = { forbid: 'any', require: '©' }

test.each<[fact: string, fileText: string, present: HeaderTexts, found: Array<number | 'file'>]>([
  ['of two equal lines, the line nearer to line 2 is found', 'x: any\n\n\nx: any', CHECKS, [1, 'file']],
  ['a reported line that a formatter changed is found', "\n  'x': any;\n©", CHECKS, [2]],
  ['a line that has gained a letter is not found', "\n  'xs': any;\n©", CHECKS, []],
  ['a file that still lacks the required text is found', 'x: unknown', CHECKS, ['file']],
  ['a line that the rule no longer forbids is not found', 'x: any', { forbid: 'all' }, []],
])('%s', async (_, fileText, present, found) => {
  const checks = await checksOf(present)
  const unresolved = await unresolvedInText(REPORTED, () => checks, fileText)
  expect(unresolved!.map(({ line = 'file' }) => line)).toEqual(found)
})

test('a reported line of spaces is found, and an empty line is not', async () => {
  const checks = await checksOf({ forbid: '^\\s+$' })
  const unresolved = await unresolvedInText([violationAt(2, shownLine('  '))], () => checks, 'a\n\n\n  \n')
  expect(unresolved!.map(({ line }) => line)).toEqual([4])
})

test.each([['A=1\nB=2\n', []], ['', []], ['A=1\n\n', [2]]])(
  'in the text %j, a reported blank line is found on the lines %j',
  async (fileText, found) => {
    const checks = await checksOf({ forbid: '^$' })
    const unresolved = await unresolvedInText([violationAt(2, '')], () => checks, fileText)
    expect(unresolved!.map(({ line }) => line!)).toEqual(found)
  },
)

test.each<[reported: Array<number>, now: Array<number>, found: Array<number>]>([
  [[1, 3], [11, 13], [11, 13]],
  [[1, 3], [3], [3]],
  // Two lines were inserted above, and line 1 is a new violation.
  [[3, 5], [1, 5, 7], [5, 7]],
])('a text reported on lines %j and now on lines %j is found on lines %j', async (reported, now, found) => {
  const checks = await checksOf({ forbid: 'any' })
  const lines = Array<string>(13).fill('')
  for (const line of now) lines[line - 1] = 'x: any'
  const violations = reported.map((line) => violationAt(line, 'x: any'))
  const unresolved = await unresolvedInText(violations, () => checks, lines.join('\n'))
  expect(unresolved!.map(({ line }) => line!)).toEqual(found)
})

/** In the result, `3` is line 3, and `+5` are five unlisted lines. */
const foundLater = async (written: Array<FileTexts>, fileText: string) => {
  const header = { forbid: 'any' }
  const reports = await Promise.all(written.map((texts) => judge(header, texts)))
  const checks = await checksOf(header)
  const unresolved = await unresolvedInText(reports.flatMap(({ broken }) => broken), () => checks, fileText)
  return unresolved!.map(({ line, more }) => line ?? `+${more}`)
}

test.each<[fact: string, fileText: string, found: Array<number>]>([
  ['the added line is found where it is now', '// a\nx: any\n\nx: any\n', [4]],
  ['no line is found after the added line was fixed', 'x: any\n\nx: unknown\n', []],
  ['the added line is found, a third equal line is not', 'x: any\n\nx: any\n\n\n\nx: any\n', [3]],
])('if a call added a copy of an old line, %s', async (_, fileText, found) => {
  expect(await foundLater([['x: any\n', 'x: any\n\nx: any\n']], fileText)).toEqual(found)
})

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const linesTo = (count: number, type = 'any') =>
  numbersTo(count).map((line) => `v${line}: ${type}\n`).join('')
const TWENTY_FIXED = linesTo(30).split('\n').map((line, index) => index < 20 ? '' : line).join('\n')

test.each<[fact: string, written: Array<FileTexts>, fileText: string, found: Array<number | string>]>([
  [
    'if all lines are left, the unlisted lines are counted',
    [[null, linesTo(30)]],
    linesTo(30),
    [...numbersTo(20), '+10'],
  ],
  [
    'if the listed lines were fixed, the rest is listed',
    [[null, linesTo(30)]],
    TWENTY_FIXED,
    numbersTo(30).slice(20),
  ],
  ['if only 10 listed lines are left, they are found', [[null, linesTo(30)]], linesTo(10), numbersTo(10)],
  ['if all lines were fixed, no line is found', [[null, linesTo(30)]], linesTo(30, 'all'), []],
  [
    'if there are old violations, the rest is only counted',
    [['any\nany 2\n', `any\nany 2\n${linesTo(30)}`]],
    `any\nany 2\n${TWENTY_FIXED}`,
    ['+10'],
  ],
  [
    'if all lines were fixed, old violations are not counted',
    [['any\nany 2\n', `any\nany 2\n${linesTo(30)}`]],
    `any\nany 2\n${linesTo(30, 'all')}`,
    [],
  ],
  [
    'violations that the person added are not counted',
    [[null, linesTo(30)]],
    linesTo(50),
    [...numbersTo(20), '+10'],
  ],
  [
    'after two reports, 20 lines are listed, 40 counted',
    [[null, linesTo(30)], [linesTo(30), linesTo(60)]],
    linesTo(60),
    [...numbersTo(20), '+40'],
  ],
])('each report lists 20 of 30 lines: %s', async (_, written, fileText, found) => {
  expect(await foundLater(written, fileText)).toEqual(found)
})
