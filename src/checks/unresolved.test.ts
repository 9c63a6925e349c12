import { expect, test } from 'bun:test'
import { checksOf, fileOf, type FileTexts, type HeaderTexts, judge } from '../../test/harness/judge.ts'
import { linesAfterFormatting } from '../steps/lines-after-formatting.ts'
import { TimeBudget } from './budget.ts'
import { reformattedViolations, unresolvedInText } from './unresolved.ts'
import type { Violation } from './violations.ts'

const violationAt = (line: number, text: string): Violation => ({ rule: 'r', path: 'a.ts', line, text })

/** In the result, `3` is line 3, `+5` are five unlisted lines, and `file` is a missing required text. */
const foundIn = async (fileText: string, reported: Array<Violation>, present: HeaderTexts) => {
  const checks = await checksOf(present)
  const unresolved = await unresolvedInText(reported, () => checks, fileText)
  return unresolved!.map(({ line, more }) => line ?? (more ? `+${more}` : 'file'))
}

const REPORTED = [violationAt(2, 'x: any'), { rule: 'r', path: 'a.ts', text: 'the file lacks it' }]
const CHECKS: HeaderTexts = { forbid: 'any', require: '©' }

test.each<[fact: string, fileText: string, present: HeaderTexts, found: Array<number | 'file'>]>([
  ['the equal line nearest to the reported line 2 is found', 'x: any\n\n\nx: any', CHECKS, [1, 'file']],
  ['a reported line that a formatter changed is found', "\n  'x': any;\n©", CHECKS, [2]],
  ['a line that has gained a letter is not found', "\n  'xs': any;\n©", CHECKS, []],
  ['a file that still lacks the required text is found', 'x: unknown', CHECKS, ['file']],
  ['a line that the rule no longer forbids is not found', 'x: any', { forbid: 'all' }, []],
])('%s', async (_, fileText, present, found) => {
  expect(await foundIn(fileText, REPORTED, present)).toEqual(found)
})

test.each<[forbid: string, fileText: string, found: Array<number>]>([
  ['^\\s+$', 'a\n\n\n  \n', [4]],
  ['^$', 'A=1\nB=2\n', []],
  ['^$', '', []],
  ['^$', 'A=1\n\n', [2]],
])(
  'a reported blank line that matches %s is found in the text %j on the lines %j',
  async (forbid, fileText, found) => {
    expect(await foundIn(fileText, [violationAt(2, '')], { forbid })).toEqual(found)
  },
)

test.each<[reported: Array<number>, now: Array<number>, found: Array<number>]>([
  [[1, 3], [11, 13], [11, 13]],
  [[1, 3], [3], [3]],
  // Two lines were inserted above, and line 1 is a new violation.
  [[3, 5], [1, 5, 7], [5, 7]],
])('a text reported on lines %j and now on lines %j is found on lines %j', async (reported, now, found) => {
  const lines = Array<string>(13).fill('')
  for (const line of now) lines[line - 1] = 'x: any'
  const violations = reported.map((line) => violationAt(line, 'x: any'))
  expect(await foundIn(lines.join('\n'), violations, { forbid: 'any' })).toEqual(found)
})

const foundLater = async (written: Array<FileTexts>, fileText: string) => {
  const header = { forbid: 'any' }
  const reports = await Promise.all(written.map((texts) => judge(header, texts)))
  return foundIn(fileText, reports.flatMap(({ broken }) => broken), header)
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
const OLD = 'any\nany 2\n'
const ADDED: Array<FileTexts> = [[null, linesTo(30)]]
const ADDED_TO_OLD: Array<FileTexts> = [[OLD, OLD + linesTo(30)]]
const TWENTY = numbersTo(20)

test.each<[fact: string, written: Array<FileTexts>, fileText: string, found: Array<number | string>]>([
  ['if all lines are left, the unlisted lines are counted', ADDED, linesTo(30), [...TWENTY, '+10']],
  ['if the listed lines were fixed, the other 10 are listed', ADDED, TWENTY_FIXED, numbersTo(30).slice(20)],
  ['if only 10 listed lines are left, they are found', ADDED, linesTo(10), numbersTo(10)],
  ['if old violations exist, the other 10 are only counted', ADDED_TO_OLD, OLD + TWENTY_FIXED, ['+10']],
  ['if all lines were fixed, old violations are not counted', ADDED_TO_OLD, OLD + linesTo(30, 'all'), []],
  ['violations that the person added are not counted', ADDED, linesTo(50), [...TWENTY, '+10']],
  [
    'after two reports, the result lists 20 of the 60 lines and counts 40',
    [...ADDED, [linesTo(30), linesTo(60)]],
    linesTo(60),
    [...TWENTY, '+40'],
  ],
])('each report lists 20 of 30 lines: %s', async (_, written, fileText, found) => {
  expect(await foundLater(written, fileText)).toEqual(found)
})

// Each row has the text before the calls, after the calls, and after the formatter. `f(x: any, y)` was reported.
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
