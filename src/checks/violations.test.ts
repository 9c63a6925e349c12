// Tests which reported violations are still in a file after further changes, and on which lines.
import { expect, test } from 'bun:test'
import { checksOf, type HeaderTexts, judge } from '../../test/harness/judge.ts'
import { unresolvedInText, type Violation } from './violations.ts'

const violationAt = (line: number, text: string): Violation => ({ rule: 'r', path: 'a.ts', line, text })

const CHECKS: HeaderTexts = { forbid: 'any', require: '©' }
const LACKING = { rule: 'r', path: 'a.ts', text: 'the file lacks what it requires' }
const REPORTED = [violationAt(2, 'x: any'), LACKING]

test.each<[fact: string, fileText: string, header: HeaderTexts, found: Array<number | 'file'>]>([
  ['of equal lines, the nearest to the reported one is found', 'x: any\n\n\nx: any', CHECKS, [1, 'file']],
  ['a reported line that a formatter changed is found', "\n  'x': any;\n©", CHECKS, [2]],
  ['a line with other characters than the reported one is not found', "\n  'x': any;©", CHECKS, []],
  ['a file is found as long as it lacks what the rule requires', 'x: unknown', CHECKS, ['file']],
  ['the present patterns of a rule decide, not those of the report', 'x: any', { forbid: 'all' }, []],
])('%s', async (_, fileText, header, found) => {
  const checks = await checksOf(header)
  const unresolved = await unresolvedInText(REPORTED, () => checks, fileText)
  expect(unresolved!.map(({ line = 'file' }) => line)).toEqual(found)
})

test('of lines with only whitespace, the one that still breaks the rule is found', async () => {
  const checks = await checksOf({ forbid: '^\\s+$' })
  const unresolved = await unresolvedInText([violationAt(2, '')], () => checks, 'a\n\n\n  \n')
  expect(unresolved!.map(({ line }) => line)).toEqual([4])
})

test.each<[reported: Array<number>, now: Array<number>, found: Array<number>]>([
  [[1, 3], [11, 13], [11, 13]],
  [[1, 3], [3], [3]],
  // Two lines were inserted above; line 1 is new.
  [[3, 5], [1, 5, 7], [5, 7]],
])('identical lines, reported at %j and now at %j, are found at %j', async (reported, now, found) => {
  const checks = await checksOf({ forbid: 'any' })
  const lines = Array<string>(13).fill('')
  for (const line of now) lines[line - 1] = 'x: any'
  const broken = reported.map((line) => violationAt(line, 'x: any'))
  const unresolved = await unresolvedInText(broken, () => checks, lines.join('\n'))
  expect(unresolved!.map(({ line }) => line!)).toEqual(found)
})

test('lines beyond the twenty that are listed are counted as long as a listed one is left', async () => {
  const checks = await checksOf({ forbid: 'any' })
  const countsIn = async (broken: Array<Violation>, text: string) =>
    (await unresolvedInText(broken, () => checks, text))!.map(({ more }) => more)
  const { broken } = await judge({ forbid: 'any' }, [null, 'x: any\n'.repeat(30)])
  expect(await countsIn(broken, 'x: any\n')).toEqual([undefined, 10])
  expect(await countsIn(broken, 'x: unknown\n')).toEqual([])
  const ofSecondCall = broken.map((violation) =>
    violation.more ? violation : { ...violation, text: 'y: any' }
  )
  const ofBoth = await countsIn([...broken, ...ofSecondCall], 'x: any\ny: any\n'.repeat(30))
  // Each call has 20 listed lines and 10 others.
  expect(ofBoth).toEqual([...Array(20).fill(undefined), 40])
})
