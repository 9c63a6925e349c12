import { expect, test } from 'bun:test'
import { fileOf, type FileTexts, type HeaderTexts, judge, judgeFiles } from '../../test/harness/judge.ts'
import { longestHold } from '../../test/harness/longest-hold.ts'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { TimeBudget } from './budget.ts'

// An engine that backtracks would take exponential or quadratic time.
test.each([
  ['^(a|aa)+$', `${'a'.repeat(20_000)}!`],
  [String.raw`^([\w.-]+)+@([\w-]+\.)+[a-z]{2,}$`, 'a.'.repeat(10_000)],
  ['(a?){50}a{50}$', `${'a'.repeat(20_000)}!`],
  ['a+b|a', 'a'.repeat(20_000)],
])('the pattern %s does not hang', async (forbid, text) => {
  await expectNoHang(forbid, () => judge({ forbid }, [`${text}x`, text]))
})

const COSTLY_PATTERN = `${'(?:a{0,1000}b?)'.repeat(2)}[XY]`
const LONG_FILE = `${'a'.repeat(60)}\n`.repeat(3_000)
const repeated = (line: string) => line.repeat(90_000)
const longLines = (end: string) => `${'a'.repeat(9_990)}${end}\n`.repeat(300)
const UNLIKE = Array.from({ length: 30_000 }, (_, line) => `a${line}b${line}\n`).join('')
const COSTLY_STEPS: Array<[name: string, header: HeaderTexts, texts: FileTexts]> = [
  ['700,000 lines', { forbid: '^' }, [null, 'a\n'.repeat(700_000)]],
  ['700,000 replaced lines', { forbid: '^' }, ['b\n'.repeat(700_000), 'a\n'.repeat(700_000)]],
  ['many replaced lines', { forbid: '\\w' }, ['b\n'.repeat(5_000), 'a\n'.repeat(5_000)]],
  ['long lines whose ends changed', { forbid: 'a+b|a' }, [longLines('x'), longLines('y')]],
  ['a large pattern', { forbid: COSTLY_PATTERN }, [null, `${'a'.repeat(10_000)}\n`.repeat(500)]],
  ['a file almost too long for its pattern', { require: '(?:a{0,10}b?)[XY]' }, [null, LONG_FILE]],
  ['equal reformatted lines', { forbid: 'a' }, [repeated('b\n'), repeated('ab\n'), repeated('  ab;\n')]],
  ['different reformatted lines', { forbid: 'a' }, [null, UNLIKE, UNLIKE.replaceAll('b', ' b;')]],
  ['a fence of 100,000 backticks', { forbid: 'a' }, [null, `${'`'.repeat(100_000)} a \``]],
]

test.each(COSTLY_STEPS)('%s: the check takes < 2 s and blocks for < 1 s', async (_, header, texts) => {
  const start = process.cpuUsage()
  const { ms } = await longestHold(() => judgeFiles(header, [fileOf('a.md', texts)]))
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000)
  expect(ms).toBeLessThan(1_000)
})

test('300 lines that move out of a file with 10,000 lines are all checked, and none is reported', async () => {
  const [moved, kept] = [300, 10_000].map((count) => Array.from({ length: count }, (_, line) => `x${line}: `))
  const movedText = moved!.map((line) => `${line}any\n`).join('')
  const keptText = kept!.map((line) => `${line}one\n`).join('')
  const files = [fileOf('a.ts', [movedText + keptText, keptText]), fileOf('b.ts', [null, movedText])]
  expect(await judgeFiles({ forbid: 'any' }, files)).toEqual({ broken: [], unchecked: [] })
})

test('all of 1,530 changed lines are checked, and only the 30 new lines are reported', async () => {
  const linesWith = (name: string) =>
    Array.from({ length: 1_500 }, (_, line) => `${name}${line}: any\n`).join('')
  const texts: FileTexts = [linesWith('value'), `${'new: any\n'.repeat(30)}${linesWith('val')}`]
  const { broken, unchecked } = await judge({ forbid: ': any' }, texts)
  const listed = Array.from({ length: 20 }, (_, index) => index + 1)
  expect(broken.map(({ line, more }) => line ?? more)).toEqual([...listed, 10])
  expect(unchecked).toEqual([])
})

test('a rule whose pattern is too large for a file of 20 KB is reported as not checked', async () => {
  const file = fileOf('a.ts', [LONG_FILE.slice(0, 20_000), LONG_FILE.slice(0, 20_001)])
  const { unchecked } = await judgeFiles({ require: COSTLY_PATTERN }, [file])
  expect(unchecked).toEqual([{ path: 'a.ts', lines: 0, rules: 1 }])
})

test('a line that is too long to be searched counts as unchecked, unless its start matches', async () => {
  const [long, matching] = ['x'.repeat(20_000), `any ${'x'.repeat(20_000)}`]
  const { broken, unchecked } = await judge({ forbid: 'any\\b' }, ['', `${long}\n${matching}\n`])
  expect(broken.map(({ line }) => line)).toEqual([2])
  expect(unchecked).toEqual([{ path: 'a.ts', lines: 1, rules: 0 }])
})

test('unchecked lines and rules of a file are reported together', async () => {
  const budget = new TimeBudget()
  let runs = 0
  // Time runs out after the first change is compared, so the only line of the second change stays unchecked.
  budget.run = async (work) => runs++ === 0 ? work() : undefined
  const written = [{ before: '', after: 'a' }, { before: 'a', after: 'b' }]
  // A file of more than 200,000 characters is not searched for a required text.
  const longFile = { path: 'a.ts', written, presentText: 'b'.repeat(200_001) }
  const { unchecked } = await judgeFiles({ require: 'c' }, [longFile], { budget })
  expect(unchecked).toEqual([{ path: 'a.ts', lines: 1, rules: 1 }])
})
