import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fileOf, type FileTexts, judge, judgeFiles, lineNumbersOf } from '../../test/harness/judge.ts'
import type { Written } from './file-changes.ts'
import { Turn } from './moved-lines.ts'
import type { Violation } from './violations.ts'

type Case = [name: string, forbid: string, texts: FileTexts, reported: Array<number>]

test.each<Case>([
  ['a line after lone carriage returns', 'any', ['a\rb\r', 'a\rb\rx: any\r'], [3]],
  ['a new line below an old line without a line ending', '^', ['a', 'a\nb'], [2]],
  ['a new blank line', '^$', ['a\n', 'a\n\n'], [2]],
  ['a tab in place of spaces', '\t', ['  a\n', '\ta\n'], [1]],
  ['no match beyond the searched part of a line', 'any', ['', `${' '.repeat(10_000)}any`], []],
  ['no match of `$` where a long line is cut', '[^.]$', ['', `${'x'.repeat(20_000)}.`], []],
  ['a new line, but not a moved line', 'any', ['x: any\n', 'if (a) {\n  x: any\n  y: any\n}\n'], [3]],
  ['a copy of a moved line, but not the moved line', 'any', ['x: any\nb\n', 'b\nx: any\nx: any\n'], [3]],
  ['a copy of a line that moved and was indented', 'any', ['x: any\nb\n', 'b\n  x: any\n  x: any\n'], [3]],
  ['no tab in a moved line if a removed line also had a tab', '\t', ['\ta\nb\n  a\n', 'b\n\t\ta\n'], []],
  // A touched line replaces a line that has the same matches.
  ['no touched line', 'any', ["a = 'any'\n", 'a = "any";\n'], []],
  ['a new line, but not a touched line', 'any', ['let x: any = 1\n', 'y: any\nlet x: any = 2\n'], [1]],
  ['a changed line with more matches', 'any', ['any\n', 'any, any\n'], [1]],
  ['a changed line with another match', ': \\w+', ['x: any\n', 'x: all\n'], [1]],
  ['a new line with the match of a line removed elsewhere', 'any', ['x: any\nb\nc\n', 'b\nc\ny: any\n'], [3]],
])('after a call, the check reports %s', async (_, forbid, texts, reported) => {
  expect(lineNumbersOf(await judge({ forbid }, texts))).toEqual(reported)
})

test.each<Case>([
  ['no old line that is split', 'any', ['f(any, y)\n', 'f(any, y)\nb\n', 'f(\n  any,\n  y,\n)\nb\n'], []],
  ['the match in a new line that is split', 'any', [null, 'f(a, any)\n', 'f(\n  a,\n  any,\n)\n'], [3]],
  ['both matches in a new line that is split', 'any', [null, 'f(any, any)\n', 'f(any,\n  any)\n'], [1, 2]],
  ['the match in a new line, but not the match in an old line that is joined to it', 'any', [
    'any,\n',
    'f(any, b,\nany,\n',
    'f(any,\n  b, any,\n',
  ], [1]],
  ['no new line that is fixed', 'any', [null, 'x: any\n', 'x: unknown\n'], []],
  ['no `;` that a formatter added to a new line', ';$', ['a\n', 'a\nb\n', 'a;\nb;\n'], []],
  ['no line that a formatter added', 'var', ['y\n', 'let a:any\ny\n', 'const a: any;\nvar other;\ny\n'], []],
])('if a formatter runs after the call, the check reports %s', async (_, forbid, texts, reported) => {
  expect(lineNumbersOf(await judge({ forbid }, texts))).toEqual(reported)
})

test('if too many lines changed for a diff, a new line is reported, but a touched line is not', async () => {
  const linesOfWord = (word: string) => Array.from({ length: 500 }, (_, line) => `${word} ${line}\n`).join('')
  const texts: FileTexts = [`a\nx: any\n${linesOfWord('b')}`, `a\nx: any = 1\n${linesOfWord('c')}y: any\n`]
  expect(lineNumbersOf(await judge({ forbid: 'any' }, texts))).toEqual([503])
})

test('a matching line is reported if new, but not if the old text had as many copies of it', async () => {
  const line = fc.constantFrom('a', '', '  x: any', 'x: any', 'y: any', 'z')
  const text = fc.array(line, { maxLength: 10 }).map((lines) => lines.join('\n'))
  await fc.assert(fc.asyncProperty(text, text, async (before, after) => {
    const reported = lineNumbersOf(await judge({ forbid: String.raw`\w: any` }, [before, after]))
    const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
    const copiesIn = (lines: Array<string>, wanted: string) => lines.filter((line) => line === wanted).length
    for (const [index, line] of newLines.entries()) {
      const breaksRule = line.includes('any')
      const isNew = !oldLines.some((oldLine) => oldLine.trim() === line.trim())
      const hadAsManyCopies = copiesIn(newLines, line) <= copiesIn(oldLines, line)
      const isReported = reported.includes(index + 1)
      if (breaksRule && isNew) expect(isReported).toBe(true)
      if (!breaksRule || hadAsManyCopies) expect(isReported).toBe(false)
    }
  }))
})

type Files = Record<string, FileTexts>

const reportedIn = async (textsByPath: Files, earlier?: { rule: string; text: string }) => {
  const files = Object.entries(textsByPath).map(([path, texts]) => fileOf(path, texts))
  const reported = earlier ? [{ ...earlier, path: 'a.ts', line: 1 }] : []
  const { broken } = await judgeFiles({ forbid: 'any' }, files, { reported })
  return broken.map(({ path, line, text }) => `${path}:${line} ${text}`)
}

test('a touched line is reported only if the same rule (`r`) already reported the old line', async () => {
  const files: Files = { 'a.ts': ['x: any\ny\n', 'x: any = 1\ny\n'] }
  expect(await reportedIn(files, { rule: 'r', text: 'x: any' })).toEqual(['a.ts:1 x: any = 1'])
  expect(await reportedIn(files, { rule: 'other', text: 'x: any' })).toEqual([])
})

test('if two lines move to another file, only the line that was reported before is reported', async () => {
  const files: Files = { 'a.ts': ['x: any\n  y: any\n', null], 'b.ts': [null, 'x: any\ny: any\n'] }
  expect(await reportedIn(files, { rule: 'r', text: 'y: any' })).toEqual(['b.ts:2 y: any'])
})

/** Plays the steps of a turn. `present` has the present texts of files that earlier steps changed. */
const linesInTurn = async (steps: Array<{ files: Files; present?: Record<string, string> }>) => {
  const turn = new Turn()
  const reported: Array<Violation> = []
  for (const { files, present = {} } of steps) {
    const changed = Object.entries(files).map(([path, texts]) => fileOf(path, texts))
    reported.push(...(await judgeFiles({ forbid: 'any' }, changed, { reported, turn, present })).broken)
  }
  return reported.map(({ path, line }) => `${path}:${line}`)
}

const IN_BLOCK = 'if (a) {\n  x: any\n}\n'
const MOVE: Files = { 'a.ts': ['x: any\nb\n', 'b\n'], 'b.ts': [null, IN_BLOCK] }
const [MOVED, NOT_MOVED] = [{ 'a.ts': 'b\n', 'b.ts': IN_BLOCK }, { 'a.ts': 'b\n' }]

test.each<
  [what: string, steps: Array<{ files: Files; present?: Record<string, string> }>, reported: string[]]
>([
  ['a second copy in the same file', [
    { files: { ...MOVE, 'b.ts': [null, `${IN_BLOCK}  x: any\n`] } },
  ], ['b.ts:4']],
  ['a second copy in a later step', [
    { files: MOVE },
    { files: { 'c.ts': [null, 'x: any\n'] }, present: MOVED },
  ], ['c.ts:1']],
  ['each further copy once', [
    { files: MOVE },
    { files: { 'c.ts': [null, 'x: any\n'] }, present: MOVED },
    { files: { 'd.ts': [null, 'x: any\n'] }, present: { ...MOVED, 'c.ts': 'x: any\n' } },
  ], ['c.ts:1', 'd.ts:1']],
  ['no line that moves on', [
    { files: MOVE },
    { files: { 'b.ts': [IN_BLOCK, null], 'c.ts': [null, ' x: any\n'] }, present: { 'a.ts': 'b\n' } },
  ], []],
  ['no moved line that a shell deletes, and that a later call writes to a third file', [
    { files: MOVE },
    { files: { 'c.ts': [null, 'x: any\n'] }, present: NOT_MOVED },
  ], []],
])('if a turn moves a line, the check reports %s', async (_, steps, reported) => {
  expect(await linesInTurn(steps)).toEqual(reported)
})

test('if a formatter runs between two calls that indent a line, the line is not reported', async () => {
  const first = { before: 'y\nx: any\n', after: 'y\n{\n  x: any\n}\n' }
  const second = { before: 'y;\n{\n  x: any\n}\n', after: 'y;\n{\n  {\n    x: any\n  }\n}\n' }
  expect(await linesAfterCalls('any', [first, second], second.after)).toEqual([])
})

// If a call's `after` differs from the next `before`, or from `presentText`, a formatter ran in between.
const linesAfterCalls = async (forbid: string, written: Array<Written>, presentText: string) =>
  lineNumbersOf(await judgeFiles({ forbid }, [{ path: 'a.ts', written, presentText }]))

test('the lines of each call are reported, but no `;` that a formatter added', async () => {
  const first = { before: 'y\n', after: 'y\na:any\n' }
  const second = { before: 'y;\na: any;\n', after: 'y;\na: any;\nb:any\n' }
  expect(await linesAfterCalls('any|;$', [first, second], 'y;\na: any;\nb: any;\n')).toEqual([2, 3])
})

test('a line that a step adds, removes and adds again is reported', async () => {
  const addition = { before: 'y\n', after: 'y\na:any\n' }
  const removal = { before: 'y;\na: any;\n', after: 'y;\n' }
  const again = { before: 'y; \n', after: 'y; \na: any;\n' }
  expect(await linesAfterCalls('any;', [addition, removal, again], 'y;\na: any;\n')).toEqual([2])
})

test('a moved line that a step adds, removes and adds again is not reported', async () => {
  const addition = { before: 'y\n', after: 'y\na: any\n' }
  const removal = { before: 'y\na: any\n', after: 'y\n' }
  const written = [addition, removal, addition]
  const files = [fileOf('b.ts', ['a: any\n', null]), { path: 'a.ts', written, presentText: 'y\na: any\n' }]
  expect(lineNumbersOf(await judgeFiles({ forbid: 'any' }, files))).toEqual([])
})

test('if a call cannot be replayed, only lines that are in its arguments are reported', async () => {
  const uncertain = { before: 'y\n', after: 'z: any\na: any;\n', argsIfUncertain: 'the a:any' }
  expect(await linesAfterCalls('any', [uncertain], 'z: any\na: any;\n')).toEqual([2])
})

test.each<[file: string, texts: FileTexts, isReported: boolean]>([
  ['a new file that lacks it', [null, 'a\n'], true],
  ['no new file that has it', [null, 'a\n// © b\n'], false],
  ['a file from which the call removed it', ['// © x\n', 'a\n'], true],
  ['no file that already lacked it', ['a\n', 'b\n'], false],
  ['no file to which a formatter added it', [null, 'a\n', '// © x\na\n'], false],
  ['no file from which a formatter removed it', ['// © x\n', '// © x\na\n', 'a\n'], false],
])('if a rule requires a text, the check reports %s', async (_, texts, isReported) => {
  const { broken } = await judge({ require: '^// ©' }, texts)
  const violation = { rule: 'r', path: 'a.ts', text: 'the file lacks what the rule requires' }
  expect(broken).toEqual(isReported ? [violation] : [])
})

test.each<[globs: string, path: string, reported: Array<number>]>([
  ['**/*', 'a.md', [4]],
  ['docs/**/*.{md,mdx}', 'a.mdx', [2, 4]],
  ['**/*', 'src/markdown/a.ts', [2, 4]],
])('fenced code in Markdown is checked only by rules for Markdown: %s, %s', async (globs, path, reported) => {
  const file = fileOf(path, [null, '```\nany\n```\nany\n'])
  expect(lineNumbersOf(await judgeFiles({ forbid: 'any' }, [file], { globs: [globs] }))).toEqual(reported)
})
