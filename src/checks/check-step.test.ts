import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { longestHold } from '../../test/harness/longest-hold.ts'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { linesNow } from '../steps/lines-now.ts'
import { changedHunks, fencedLines } from './changed-lines.ts'
import { checkStep, type StepFile } from './check-step.ts'
import { formatNewViolations, formatUnresolved, formatViolations } from './format-violations.ts'
import { CHECK_KEYS, compileChecks } from './patterns.ts'
import { unresolvedInText, type Violation } from './violations.ts'

type Texts = { [key in (typeof CHECK_KEYS)[number]]?: string }

/** Compiles the checks of a header with one text per key, on consecutive lines from line 2. */
const compiled = (texts: Texts) =>
  compileChecks(
    Object.fromEntries(Object.entries(texts).map(([key, text], at) => [key, [{ text, line: 2 + at }]])),
  )

const checksOf = async (texts: Texts) => (await compiled(texts)).data!

/** A file before a step, after its calls, and after a formatter if there was one. */
type Step = [before: string | null, after: string | null, formatted?: string]

const fileOf = (path: string, [before, after, formatted = after ?? undefined]: Step): StepFile => ({
  path,
  written: [{ before, after }],
  presentText: formatted ?? null,
})

/** Checks the files of a step against one rule. */
const judgeFiles = async (
  texts: Texts,
  files: Array<StepFile>,
  { reported = [], globs = [] }: { reported?: Array<Violation>; globs?: Array<string> } = {},
) => {
  const { data: checks } = await compiled(texts)
  const rules = [{ name: 'r', checks: checks!, globs }]
  return checkStep(files, () => rules, linesNow, { broken: reported, removed: [] })
}

const judge = (texts: Texts, step: Step) => judgeFiles(texts, [fileOf('a.ts', step)])

const linesOf = ({ broken }: Awaited<ReturnType<typeof judge>>) => broken.map(({ line }) => line!)

const VALID: Array<Texts> = [
  {},
  { forbid: String.raw`:\s*any\b`, bad: 'x: any', good: 'x: anyone' },
  { forbid: String.raw`日本|\u{1F375}|\u65e5`, bad: '🍵', good: '本' },
  { require: '^// ©', bad: 'a\nb', good: 'a\n// © b' },
  { require: '^// SPDX$', bad: '// SPDX 2', good: 'a\r\n// SPDX\r\nb' },
  { require: String.raw`;\n};$`, good: 'a;\r\n};\r\n' },
  { forbid: 'a', bad: 'x\ny a\nz', good: 'b' },
]

test.each(VALID.map((texts) => [texts]))('the checks %j have no fault', async (texts) => {
  expect((await compiled(texts)).error).toBeNull()
})

const FAULTS: Array<[texts: Texts, reason: RegExp, line: number]> = [
  [{ forbid: 'a', good: 'a' }, /^this good example fails the check$/, 3],
  [{ bad: 'b' }, /^an example needs forbid or require$/, 2],
  [{ forbid: '' }, /empty/, 2],
  [{ forbid: 'x'.repeat(1_001) }, /1000 characters/, 2],
  [{ forbid: 'a(?=b)' }, /look ahead or behind/, 2],
  [{ forbid: String.raw`(a)\1` }, /is no pattern: invalid escape/, 2],
  [{ forbid: '[a' }, /^\[a is no pattern: missing closing \]/, 2],
  [{ forbid: '((a{100}){100}){100}' }, /repeats too much/, 2],
  [{ forbid: `(?:${'a'.repeat(900)}){900}` }, /repeats too much/, 2],
  [{ forbid: '(?:a{0,1000}b?)'.repeat(30) }, /repeats too much/, 2],
  [{ forbid: 'a{900}', bad: 'a'.repeat(5_000) }, /too long/, 3],
]

test.each(FAULTS)('the checks %j have the fault %p on line %i', async (texts, reason, line) => {
  expect((await compiled(texts)).error).toEqual({ line, reason: expect.stringMatching(reason) })
})

// A backtracking engine takes exponential or quadratic time.
test.each([
  ['^(a|aa)+$', `${'a'.repeat(20_000)}!`],
  [String.raw`^([\w.-]+)+@([\w-]+\.)+[a-z]{2,}$`, 'a.'.repeat(10_000)],
  ['(a?){50}a{50}$', `${'a'.repeat(20_000)}!`],
  ['a+b|a', 'a'.repeat(20_000)],
])(
  '%s takes linear time',
  (forbid, text) => expectNoHang(forbid, () => judge({ forbid }, [`${text}x`, text])),
)

const countsOf = ({ broken, unchecked }: Awaited<ReturnType<typeof judge>>) => [
  broken.length,
  broken.at(-1)?.more,
  unchecked,
]

test('of many lines that break a rule, twenty are listed and the others counted', async () => {
  expect(countsOf(await judge({ forbid: '^' }, [null, 'a\n'.repeat(5_000)]))).toEqual([21, 4_980, []])
  expect(countsOf(await judge({ forbid: '^' }, [null, 'a\n'.repeat(21)]))).toEqual([21, 1, []])
  expect(countsOf(await judge({ forbid: '^' }, [null, 'a\n'.repeat(20)]))).toEqual([20, undefined, []])
})

test('the count of further lines lasts as long as one of the listed lines', async () => {
  const { broken } = await judge({ forbid: 'any' }, [null, 'x: any\n'.repeat(30)])
  const checks = await checksOf({ forbid: 'any' })
  const moreCounts = async (text: string) =>
    (await unresolvedInText(broken, () => checks, text))!.map(({ more }) => more)
  expect(await moreCounts('x: any\n')).toEqual([undefined, 10])
  expect(await moreCounts('x: unknown\n')).toEqual([])
  // The violations of several calls in one file become twenty and one count.
  const others = broken.map((violation) => violation.more ? violation : { ...violation, text: 'y: any' })
  const twice = [...broken, ...others]
  const both = await unresolvedInText(twice, () => checks, 'x: any\ny: any\n'.repeat(30))
  expect([both!.length, both!.at(-1)!.more]).toEqual([21, 40])
})

// Steps with large files, the largest patterns allowed, or texts without a common line.
const COSTLY = `${'(?:a{0,1000}b?)'.repeat(2)}[XY]`
const LINE_COUNT = 700_000
const LONG_FILE = `${'a'.repeat(60)}\n`.repeat(3_000)
const repeated = (line: string) => line.repeat(90_000)
const longLines = (end: string) => `${'a'.repeat(9_990)}${end}\n`.repeat(300)
const UNLIKE = Array.from({ length: 30_000 }, (_, line) => `a${line}b${line}\n`).join('')
const COSTLY_STEPS: Array<[name: string, texts: Texts, step: Step]> = [
  ['700,000 lines', { forbid: '^' }, [null, 'a\n'.repeat(LINE_COUNT)]],
  ['700,000 replaced lines', { forbid: '^' }, ['b\n'.repeat(LINE_COUNT), 'a\n'.repeat(LINE_COUNT)]],
  ['many replaced lines', { forbid: '\\w' }, ['b\n'.repeat(5_000), 'a\n'.repeat(5_000)]],
  ['long touched lines', { forbid: 'a+b|a' }, [longLines('x'), longLines('y')]],
  ['a large pattern', { forbid: COSTLY }, [null, `${'a'.repeat(10_000)}\n`.repeat(500)]],
  ['a large pattern for a file', { require: COSTLY }, [null, LONG_FILE]],
  ['lines after a formatter', { forbid: 'a' }, [repeated('b\n'), repeated('ab\n'), repeated('  ab;\n')]],
  ['unlike lines after a formatter', { forbid: 'a' }, [null, UNLIKE, UNLIKE.replaceAll('b', ' b;')]],
  ['a fence of 100,000 backticks', { forbid: 'a', good: 'b' }, [null, `${'`'.repeat(100_000)} a \``]],
]

test.each(COSTLY_STEPS.map(([name, ...row]) => [name, row] as const))(
  '%s: the check holds the host for less than a second, and takes less than two',
  async (_, [texts, step]) => {
    const start = process.cpuUsage()
    const { ms } = await longestHold(() => judgeFiles(texts, [fileOf('a.md', step)]))
    const { user } = process.cpuUsage(start)
    expect(ms).toBeLessThan(1_000)
    expect(user / 1_000).toBeLessThan(2_000)
  },
)

test('a rule with ten large patterns is reported as not checked for a file of 20 KB', async () => {
  const checks = { forbid: [], require: Array(10).fill((await checksOf({ require: COSTLY })).require[0]) }
  const file = fileOf('a.ts', [LONG_FILE.slice(0, 20_000), LONG_FILE.slice(0, 20_001)])
  const { unchecked } = await checkStep([file], () => [{ name: 'r', checks }], linesNow)
  expect(unchecked).toEqual([{ path: 'a.ts', lines: 0, rules: 1 }])
})

test('the new file consists of its added lines and of lines of the old file that were not removed', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
  fc.assert(fc.property(text, text, (before, after) => {
    const hunks = changedHunks(before, after)
    const [added, removed] = [hunks.flatMap((hunk) => hunk.added), hunks.flatMap((hunk) => hunk.removed)]
    const [old, lines] = [before.split('\n'), after.split('\n')]
    for (const { line, text } of added) expect(lines[line - 1]).toBe(text)
    // The old file contains all lines that were not added; the removed lines are among its other lines.
    for (const line of lines.filter((_, index) => !added.some((addedLine) => addedLine.line === index + 1))) {
      expect(old).toContain(line)
      old.splice(old.indexOf(line), 1)
    }
    expect(removed.filter((line) => !old.includes(line))).toEqual([])
  }))
})

test('the lines of fenced code are found, also in a list item, and none in inline code', () => {
  expect([...fencedLines('a\n```ts\nb\n~~~\n```\nc\n- ~~~\n  d\n')]).toEqual([3, 4, 5, 8, 9])
  expect([...fencedLines('```npm test```\na\n```\n```ts\n```\nb\n')]).toEqual([4, 5])
})

// Which lines a formatter's lines come from is tested in `steps/lines-now.test.ts`.
const JUDGED: Array<[name: string, forbid: string, step: Step, reported: Array<number>]> = [
  ['tabs for spaces', '\t', ['  a\n', '\ta\n'], [1]],
  ['whitespace changed by a formatter', '\t', ['  a\n', '  a\nb\n', '\ta\nb\n'], []],
  ['a split old line', 'any', ['f(x: any, y)\n', 'f(x: any, y)\nb\n', 'f(\n  x: any,\n  y,\n)\nb\n'], []],
  ['other quotes in an old line', 'any', ["a = 'any'\n", "b\na = 'any'\n", 'b\na = "any";\n'], []],
  ['the part of a split line that matches', 'any', [null, 'f(a, x: any)\n', 'f(\n  a,\n  x: any,\n)\n'], [3]],
  ['a line that a formatter fixed', 'any', [null, 'x: any\n', 'x: unknown\n'], []],
  ['a separator that a formatter added to a new line', ';$', ['a\n', 'a\nb\n', 'a;\nb;\n'], []],
  ['a line that a formatter added', 'var', ['y\n', 'let a:any\ny\n', 'const a: any;\nvar other;\ny\n'], []],
  ['a touched line', 'any', ["a = 'any'\n", 'a = "any";\n'], []],
  ['a touched line with more matches', 'any', ['any\n', 'any, any\n'], [1]],
  ['a touched line with another match', ': \\w+', ['x: any\n', 'x: all\n'], [1]],
  ['a touched line, and a new one above it', 'any', ['let x: any = 1\n', 'y: any\nlet x: any = 2\n'], [1]],
  ['a line moved into a block, and a new one', 'any', ['x: any\n', 'if (a) {\n  x: any\n  y: any\n}\n'], [3]],
  ['a new line, and a removed one elsewhere', 'any', ['x: any\nb\nc\n', 'b\nc\ny: any\n'], [3]],
  ['a touched line in CRLF', 'any', ['a\r\nx: any\r\n', 'a\r\nx: any = 1\r\n'], []],
  ['a copy of a line', 'any', ['x: any\n', 'x: any\nx: any\n'], [2]],
  ['a line after lone carriage returns', 'any', ['a\rb\r', 'a\rb\rx: any\r'], [3]],
  ['a line after CRLF became LF', '^', ['a\r\nb\r\n', 'a\nb\nc\n'], [3]],
  ['a line after one without a line ending', '^', ['a', 'a\nb'], [2]],
  ['a blank line', '^$', ['a\n', 'a\n\n'], [2]],
  ['a match beyond the searched part of a line', 'any', ['', `${' '.repeat(10_000)}any`], []],
]

test.each(JUDGED)(
  'a change reports its new lines, as they are now: %s',
  async (_, forbid, step, reported) => {
    expect(linesOf(await judge({ forbid }, step))).toEqual(reported)
  },
)

test('a touched line is recognised even if more lines changed than a diff may have', async () => {
  const more = (word: string) => Array.from({ length: 500 }, (_, line) => `${word} ${line}\n`).join('')
  const step: Step = [`a\nx: any\n${more('b')}`, `a\nx: any = 1\n${more('c')}y: any\n`]
  expect(linesOf(await judge({ forbid: 'any' }, step))).toEqual([503])
})

test('a line that breaks the rule is reported if it is new, not if the old file had as many copies', async () => {
  const line = fc.constantFrom('a', '', '  x: any', 'x: any', 'y: any', 'z')
  const text = fc.array(line, { maxLength: 10 }).map((lines) => lines.join('\n'))
  await fc.assert(fc.asyncProperty(text, text, async (before, after) => {
    const reported = linesOf(await judge({ forbid: String.raw`\w: any` }, [before, after]))
    const [old, current] = [before.split('\n'), after.split('\n')]
    const count = (lines: Array<string>, wanted: string) => lines.filter((line) => line === wanted).length
    for (const [index, written] of current.entries()) {
      const isReported = reported.includes(index + 1)
      const isNowhere = !old.some((line) => line.trim() === written.trim())
      if (written.includes('any') && isNowhere) expect(isReported).toBe(true)
      if (!written.includes('any') || count(current, written) <= count(old, written)) {
        expect(isReported).toBe(false)
      }
    }
  }))
})

const REPORTED = { rule: 'r', path: 'a.ts', line: 1, text: 'x: any' }

type Files = Record<string, Step>
const TOUCHED: Files = { 'a.ts': ['x: any\ny\n', 'x: any = 1\ny\n'] }
const MOVED: Files = { 'a.ts': ['x: any\n  y: any\n', null], 'b.ts': [null, 'x: any\ny: any\n'] }
const MOVED_AND_NEW: Files = {
  'a.ts': ['x: any\ny\n', 'y\n'],
  'gone.ts': ['z: any\n', null],
  'b.ts': [null, 'x: any\nz: any\nnew: any\n'],
}
const OTHER_RULE = { ...REPORTED, rule: 'other' }
const OTHER_LINE = { ...REPORTED, line: 2, text: 'y: any' }

test.each<[fact: string, files: Files, earlier: Array<Violation>, reported: Array<string>]>([
  ['a reported line is reported again when it is touched', TOUCHED, [REPORTED], ['a.ts:1 x: any = 1']],
  ['a touched line that another rule reported is not', TOUCHED, [OTHER_RULE], []],
  ['a reported line is reported again in another file', MOVED, [OTHER_LINE], ['b.ts:2 y: any']],
  ['another line that moves to another file is not reported', MOVED_AND_NEW, [], ['b.ts:3 new: any']],
])('%s', async (_, steps, reported, expected) => {
  const files = Object.entries(steps).map(([path, step]) => fileOf(path, step))
  const { broken } = await judgeFiles({ forbid: 'any' }, files, { reported })
  expect(broken.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual(expected)
})

type Calls = Array<[before: string, after: string, words?: string]>

const TWO: Calls = [['y\n', 'y\na:any\n'], ['y;\na: any;\n', 'y;\na: any;\nb:any\n']]
const ADDED_TWICE: Calls = [['y\n', 'y\na:any\n'], ['y;\na: any;\n', 'y;\n'], ['y; \n', 'y; \na: any;\n']]
const UNCERTAIN: Calls = [['y: any\n', 'z: any\na: any;\n', 'the a:any']]
const SEVERAL: Array<[fact: string, forbid: string, calls: Calls, now: string, reported: Array<number>]> = [
  ['two calls with a formatter in between are both checked', 'any|;$', TWO, 'y;\na: any;\nb: any;\n', [2, 3]],
  ['a line that the step added, removed and added is new', 'any;', ADDED_TWICE, 'y;\na: any;\n', [2]],
  [
    'if it is uncertain what a call wrote, only lines in its words are checked',
    'any',
    UNCERTAIN,
    'z: any\na: any;\n',
    [2],
  ],
]

test.each(SEVERAL)('%s', async (_, forbid, calls, presentText, reported) => {
  const written = calls.map(([before, after, words]) => ({ before, after, ...(words && { words }) }))
  expect(linesOf(await judgeFiles({ forbid }, [{ path: 'a.ts', written, presentText }]))).toEqual(reported)
})

test('a required pattern is reported when a new file lacks it, or a step removes its last match', async () => {
  const lacks = async (...step: Step) =>
    (await judge({ require: '^// ©' }, step)).broken.map(({ path, text }) => `${path} ${text}`)
  for (const before of [null, '// © x\n']) {
    expect(await lacks(before, 'a\n')).toEqual(['a.ts the file lacks what it requires'])
  }
  expect([await lacks('a\n', 'b\n'), await lacks(null, 'a\n// © b\n')]).toEqual([[], []])
  // What a formatter adds or removes is not a change of the step.
  expect(await lacks(null, 'a\n', '// © x\na\n')).toEqual([])
  expect(await lacks('// © x\n', '// © x\na\n', 'a\n')).toEqual([])
})

test.each<[globs: string, path: string, reported: Array<number>]>([
  ['**/*', 'a.md', [4]],
  ['docs/**/*.{md,mdx}', 'a.mdx', [2, 4]],
  ['**/*', 'src/markdown/a.ts', [2, 4]],
])(
  'fenced code in Markdown is checked only if the globs name Markdown: %s, %s',
  async (globs, path, reported) => {
    const file = fileOf(path, [null, '```\nany\n```\nany\n'])
    expect(linesOf(await judgeFiles({ forbid: 'any' }, [file], { globs: [globs] }))).toEqual(reported)
  },
)

test('a violation lasts as long as its line, which may move, or as long as the file lacks a match', async () => {
  const checks = await checksOf({ forbid: 'any', require: '©' })
  const broken = [{ line: 2, text: 'x: any' }, { text: 'the file lacks what it requires' }]
    .map((violation) => ({ rule: 'r', path: 'a.ts', ...violation }))
  const linesStillBroken = async (text: string, of = checks) =>
    (await unresolvedInText(broken, () => of, text))!.map(({ line = 'file' }) => line)
  expect(await linesStillBroken('x: any\n\n\n  x: any\nx: any')).toEqual([1, 'file'])
  // Blank lines have the same key as lines of whitespace, so the nearest line that breaks the rule is found.
  const [blanks, blank] = [await checksOf({ forbid: '^\\s+$' }), { ...broken[0]!, text: '' }]
  expect((await unresolvedInText([blank], () => blanks, 'a\n\n\n  \n'))!.map(({ line }) => line)).toEqual([4])
  expect(await linesStillBroken("\n  'x': any;©")).toEqual([])
  expect(await linesStillBroken("\n  'x': any;\n©")).toEqual([2])
  expect(await linesStillBroken('x: unknown')).toEqual(['file'])
  expect(await linesStillBroken('x: any', await checksOf({ forbid: 'all' }))).toEqual([])
})

test.each<[reported: Array<number>, now: Array<number>, found: Array<number>]>([
  [[1, 3], [11, 13], [11, 13]],
  [[11, 13], [1, 3], [1, 3]],
  [[1, 3], [3], [3]],
  [[5, 6], [1, 5, 6, 9], [5, 6]],
  // Two lines were inserted above; line 1 is new.
  [[3, 5], [1, 5, 7], [5, 7]],
])('identical lines, reported at %j and now at %j, are found at %j', async (reported, now, lines) => {
  const [checks, text] = [await checksOf({ forbid: 'any' }), Array<string>(13).fill('')]
  for (const line of now) text[line - 1] = 'x: any'
  const broken = reported.map((line) => ({ rule: 'r', path: 'a.ts', line, text: 'x: any' }))
  const still = await unresolvedInText(broken, () => checks, text.join('\n'))
  expect(still!.map(({ line }) => line!)).toEqual(lines)
})

test('hidden characters in a violation are marked', () => {
  expect(formatViolations([{ rule: 'a', path: 'x.ts', text: 'a\tb\u202E' }])).toBe('  a x.ts: a\tb⟦U+202E⟧')
})

test('at most five rules of a step are reported; of each, the first paragraph is quoted once', () => {
  const broken = [...'abcdef'].map((rule) => ({ rule, path: 'x.ts', line: 1, text: 'x' }))
  const reported = new Set<string>()
  for (const body of ['# Never x', '# Head\nNever x\n\nMore', '# Head\r\n\r\n## Never x']) {
    expect(formatNewViolations(broken.slice(0, 1), () => body, new Set())).toEndWith('\na: Never x\n  1: x')
  }
  expect(formatNewViolations(broken.slice(0, 1), () => '# Head\n\nWords\nof it.\n\nMore.', reported))
    .toEndWith('\na: Words of it.\n  1: x')
  expect(formatNewViolations(broken, () => 'Words', reported))
    .toMatch(/:\na\n  1: x\nb: Words\n[^]*e: Words\n  1: x\nand 1 more rule$/)
})

test('lines with a repeated text, and lines that still break a rule, are listed by number', () => {
  const at = (line: number, text: string) => ({ rule: 'r', path: 'x.ts', line, text })
  const broken = [at(2, 'b'), at(3, 'a'), at(4, 'c'), at(9, 'a'), at(6, 'd')]
  const all = [...broken, { rule: 'q', path: 'x.ts', text: 'the file lacks it' }]
  expect(formatNewViolations(all, () => undefined, new Set()))
    .toEndWith(':\nr\n  2: b\n  3: a\n  4: c\n  and lines 6, 9\nq\n  the file lacks it')
  expect(formatUnresolved(all)).toBe('In x.ts still: lines 2, 3, 4, 6, 9 (r); the file lacks it (q)')
  const many = Array.from({ length: 20 }, (_, line) => at(line, 'a'))
  const all20 = [...many, { rule: 'r', path: 'x.ts', text: 'and 10 more lines', more: 10 }]
  expect(formatUnresolved(all20)).toEndWith('18, 19, and 10 more lines (r)')
  expect(formatViolations(all20)).toEndWith('\n  r x.ts:9: a\n  and 20 more')
})

test('a line is not truncated inside an emoji', async () => {
  for (const blanks of [113, 114, 115, 116]) {
    const line = `any${' '.repeat(blanks)}\u{1F468}\u200D\u{1F469}!!!!!!`
    expect(formatViolations((await judge({ forbid: 'any' }, [null, line])).broken)).not.toContain('\u27E6')
  }
})
