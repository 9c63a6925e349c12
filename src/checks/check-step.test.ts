// Tests which lines of a step (a session's calls since its last request) are reported as violations of a rule.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fileOf, type FileTexts, judge, judgeFiles, lineNumbersOf } from '../../test/harness/judge.ts'
import type { Violation } from './violations.ts'

// The texts are those before a call, after it and, if a formatter then ran, after the formatter. A "touched" line was
// changed, but has the same matches as before.
const ONE_CALL: Array<[change: string, reported: Array<number>, forbid: string, texts: FileTexts]> = [
  ['a line indented by a tab instead of spaces', [1], '\t', ['  a\n', '\ta\n']],
  ['a split old line', [], 'any', ['f(x: any, y)\n', 'f(x: any, y)\nb\n', 'f(\n  x: any,\n  y,\n)\nb\n']],
  ['the part of a split line that matches', [3], 'any', [null, 'f(a, x: any)\n', 'f(\n  a,\n  x: any,\n)\n']],
  ['a line that a formatter fixed', [], 'any', [null, 'x: any\n', 'x: unknown\n']],
  ['a separator that a formatter added to a new line', [], ';$', ['a\n', 'a\nb\n', 'a;\nb;\n']],
  ['a line that a formatter added', [], 'var', ['y\n', 'let a:any\ny\n', 'const a: any;\nvar other;\ny\n']],
  ['a touched line', [], 'any', ["a = 'any'\n", 'a = "any";\n']],
  ['a changed line with more matches', [1], 'any', ['any\n', 'any, any\n']],
  ['a changed line with another match', [1], ': \\w+', ['x: any\n', 'x: all\n']],
  ['a touched line, and a new one above it', [1], 'any', ['let x: any = 1\n', 'y: any\nlet x: any = 2\n']],
  ['a line moved into a block, and a new one', [3], 'any', ['x: any\n', 'if (a) {\n  x: any\n  y: any\n}\n']],
  ['a moved line, if a copy without a tab was removed, too', [], '\t', ['\ta\nb\n  a\n', 'b\n\t\ta\n']],
  ['a moved line, and a copy of it', [3], 'any', ['x: any\nb\n', 'b\nx: any\nx: any\n']],
  ['a new line, and a removed one elsewhere', [3], 'any', ['x: any\nb\nc\n', 'b\nc\ny: any\n']],
  ['a line after lone carriage returns', [3], 'any', ['a\rb\r', 'a\rb\rx: any\r']],
  ['a line after one without a line ending', [2], '^', ['a', 'a\nb']],
  ['a blank line', [2], '^$', ['a\n', 'a\n\n']],
  ['a match beyond the searched part of a line', [], 'any', ['', `${' '.repeat(10_000)}any`]],
]

test.each(ONE_CALL)('%s: the reported lines are %j', async (_, reported, forbid, texts) => {
  expect(lineNumbersOf(await judge({ forbid }, texts))).toEqual(reported)
})

test('if too many lines changed for a diff, a new line is reported, and a touched one is not', async () => {
  const linesOfWord = (word: string) => Array.from({ length: 500 }, (_, line) => `${word} ${line}\n`).join('')
  const texts: FileTexts = [`a\nx: any\n${linesOfWord('b')}`, `a\nx: any = 1\n${linesOfWord('c')}y: any\n`]
  expect(lineNumbersOf(await judge({ forbid: 'any' }, texts))).toEqual([503])
})

test('a line that breaks the rule is reported if it is new, not if the file had as many copies', async () => {
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
const TOUCHED: Files = { 'a.ts': ['x: any\ny\n', 'x: any = 1\ny\n'] }
const MOVED: Files = { 'a.ts': ['x: any\n  y: any\n', null], 'b.ts': [null, 'x: any\ny: any\n'] }
const MOVED_AND_NEW: Files = {
  'a.ts': ['x: any\ny\n', 'y\n'],
  'gone.ts': ['z: any\n', null],
  'b.ts': [null, 'x: any\nz: any\nnew: any\n'],
}
const violationOf = (text: string, rule = 'r'): Violation => ({ rule, path: 'a.ts', line: 1, text })

test.each<[fact: string, files: Files, earlier: Violation | null, expected: Array<string>]>([
  ['a touched reported line is reported again', TOUCHED, violationOf('x: any'), ['a.ts:1 x: any = 1']],
  ['a touched line that another rule reported is not reported', TOUCHED, violationOf('x: any', 'other'), []],
  ['a reported line that moves is reported again', MOVED, violationOf('y: any'), ['b.ts:2 y: any']],
  ['an unreported line that moves is not reported, a new line is', MOVED_AND_NEW, null, ['b.ts:3 new: any']],
])('%s', async (_, textsByPath, earlier, expected) => {
  const files = Object.entries(textsByPath).map(([path, texts]) => fileOf(path, texts))
  const { broken } = await judgeFiles({ forbid: 'any' }, files, { reported: earlier ? [earlier] : [] })
  expect(broken.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual(expected)
})

// The calls of a step. Where a text differs from the next `before` or from the present text, a formatter ran.
type Calls = Array<[before: string, after: string, argsIfUncertain?: string]>
const TWO_CALLS: Calls = [['y\n', 'y\na:any\n'], ['y;\na: any;\n', 'y;\na: any;\nb:any\n']]
const ADDED_TWICE: Calls = [['y\n', 'y\na:any\n'], ['y;\na: any;\n', 'y;\n'], ['y; \n', 'y; \na: any;\n']]
const UNCERTAIN: Calls = [['y: any\n', 'z: any\na: any;\n', 'the a:any']]

test.each<[fact: string, forbid: string, calls: Calls, presentText: string, reported: Array<number>]>([
  ['calls are checked, a `;` of a formatter is not', 'any|;$', TWO_CALLS, 'y;\na: any;\nb: any;\n', [2, 3]],
  ['a line that the step added, removed and added again is new', 'any;', ADDED_TWICE, 'y;\na: any;\n', [2]],
  ['of an uncertain change, only lines in its arguments count', 'any', UNCERTAIN, 'z: any\na: any;\n', [2]],
])('%s', async (_, forbid, calls, presentText, reported) => {
  const written = calls.map(([before, after, words]) => ({ before, after, ...(words && { words }) }))
  const judged = await judgeFiles({ forbid }, [{ path: 'a.ts', written, presentText }])
  expect(lineNumbersOf(judged)).toEqual(reported)
})

test.each<[file: string, isReported: boolean, texts: FileTexts]>([
  ['a new file that lacks it', true, [null, 'a\n']],
  ['a new file that has it', false, [null, 'a\n// © b\n']],
  ['a file from which the call removed it', true, ['// © x\n', 'a\n']],
  ['a file that already lacked it', false, ['a\n', 'b\n']],
  ['a file to which a formatter added it', false, [null, 'a\n', '// © x\na\n']],
  ['a file from which a formatter removed it', false, ['// © x\n', '// © x\na\n', 'a\n']],
])('if a rule requires a text, %s is reported: %p', async (_, isReported, texts) => {
  const { broken } = await judge({ require: '^// ©' }, texts)
  const violation = { rule: 'r', path: 'a.ts', text: 'the file lacks what it requires' }
  expect(broken).toEqual(isReported ? [violation] : [])
})

test.each<[globs: string, path: string, reported: Array<number>]>([
  ['**/*', 'a.md', [4]],
  ['docs/**/*.{md,mdx}', 'a.mdx', [2, 4]],
  ['**/*', 'src/markdown/a.ts', [2, 4]],
])('only a rule for Markdown checks fenced code in Markdown: %s, %s', async (globs, path, reported) => {
  const file = fileOf(path, [null, '```\nany\n```\nany\n'])
  expect(lineNumbersOf(await judgeFiles({ forbid: 'any' }, [file], { globs: [globs] }))).toEqual(reported)
})
