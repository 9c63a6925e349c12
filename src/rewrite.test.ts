import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchWithState } from '../test/harness/scratch.ts'
import { addRules, appendRules, computeSeparator } from './append.ts'
import { readFilePaths } from './discover.ts'
import { splitFrontmatter } from './markdown/frontmatter.ts'
import { joinRules, processFile, replaceRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { inLineEnding, lineEndingOf } from './text/line-ending.ts'

const folder = scratchWithState()

const JOINED: Array<[rules: Array<string>, mode: Mode | undefined, text: string]> = [
  [['- a', '- b'], 'concise', '- a\n- b\n'],
  [['Rule: a\nReason: x', 'Rule: b'], 'balanced', 'Rule: a\nReason: x\n\nRule: b\n'],
  [['Rule: a\nReason: x', 'Rule: b\nReason: y'], 'verbose', 'Rule: a\nReason: x\n\nRule: b\nReason: y\n'],
  [['- a', '- b'], undefined, '- a\n\n- b\n'],
  [['\n\n- a  \n\n', '  - indented\r\n'], 'concise', '- a\n  - indented\n'],
]

test.each(JOINED)('joins %j as %s', (rules, mode, text) => {
  expect(joinRules(rules, mode)).toBe(text)
})

test.each([['', ''], ['a', '\n\n'], ['a\n', '\n'], ['a\n\n', ''], ['a\n\n\n', ''], ['\n', '\n']])(
  'after %j stands %j',
  (existing, separator) => {
    expect(computeSeparator(existing)).toBe(separator)
  },
)

test('a rewrite keeps the frontmatter and replaces all else', () => {
  expect(replaceRules('---\na: 1\n---\nold\n', ['new'])).toBe('---\na: 1\n---\n\nnew\n')
  expect(replaceRules('---\na: 1\n---', ['new'])).toBe('---\na: 1\n---\n\nnew\n')
  expect(replaceRules('old\n', ['new'])).toBe('new\n')
  // What is kept decides on the line ending: a file never has two.
  expect(replaceRules('---\r\na: 1\r\n---\r\nold\r\n', ['new\n  more', 'b']))
    .toBe('---\r\na: 1\r\n---\r\n\r\nnew\r\n  more\r\n\r\nb\r\n')
})

const added = async (text: string, rules: Array<string>, options: { mode?: Mode; after?: string } = {}) => {
  const { data, error } = await addRules(text, { rules, ...options })
  return data ?? error
}

test.each([
  ['old\r\nold\r\n', 'old\r\nold\r\n\r\na\r\n\r\nb\r\n'],
  ['old\r\n\r\n', 'old\r\n\r\na\r\n\r\nb\r\n'],
  ['old\r\nold', 'old\r\nold\r\n\r\na\r\n\r\nb\r\n'],
  ['mixed\r\nmostly\nunix\n', 'mixed\r\nmostly\nunix\n\na\n\nb\n'],
  ['old\n\n* x\n', 'old\n\n* x\n* a\n* b\n'],
  ['1) x\n2) y', '1) x\n2) y\n3) a\n4) b\n'],
  ['1. x\n1. y\n', '1. x\n1. y\n1. a\n1. b\n'],
  ['  - x\n- y\n', '  - x\n- y\n- a\n- b\n'],
  ['- x\n\n- y\n', '- x\n\n- y\n\n- a\n\n- b\n'],
  ['- [x] y\n', '- [x] y\n- [ ] a\n- [ ] b\n'],
  ['- x\n\nend\n', '- x\n\nend\n\na\n\nb\n'],
  ['- x\r', '- x\r- a\r- b\r'],
  ['# H\n\n- x\n\n## I\n', '# H\n\n- x\n\n## I\n\n- a\n- b\n'],
  ['# H\n', '# H\n\na\n\nb\n'],
  ['Rule: x\nReason: y\n', 'Rule: x\nReason: y\n\nRule: a\n\nRule: b\n'],
  ['```\nx\n```\n', '```\nx\n```\n\na\n\nb\n'],
])('to %j is added in its own line ending and form', async (text, expected) => {
  expect(await added(text, ['- a', '- b'], { mode: 'concise' })).toBe(expected)
})

test.each([
  ['# G\n\n- x\n\n# H\n\ny\n', '# G', '# G\n\n- x\n- a. r\n\n# H\n\ny\n'],
  ['# G\n\nx\n\n# H\n', 'G', '# G\n\nx\n\na. r\n\n# H\n'],
  ['# G\n# H\n- x\n', '# G', '# G\n\n- a. r\n\n# H\n- x\n'],
  ['- x\n  - y\n- z\n', 'x', '- x\n  - y\n- a. r\n- z\n'],
  ['- x\n  - y\n- z\n', '- y', '- x\n  - y\n  - a. r\n- z\n'],
  ['1. x\n2. y\n\nz\n', 'x', '1. x\n2. y\n3. a. r\n\nz\n'],
  ['x\n\ny\n', 'x', 'x\n\na. r\n\ny\n'],
  ['x\n\nx\n', 'x', '"after" stands on the lines 1, 3: copy more'],
  ['x\n', 'y', '"after" is in no heading, paragraph or list item: copy its words'],
])('in %j after %j', async (text, after, expected) => {
  expect(await added(text, ['Rule: a\nReason: r'], { after })).toBe(expected)
})

test.each([
  ['x\n\n```sh\ny\n', 3],
  ['~~~\n', 1],
  ['- x\n  ```\n  y\n', undefined],
  ['x\n<!-- y\n', 2],
  ['<pre>\nx\n', 1],
  ['x\n\n<script>\n', 3],
  ['<rules>\n- x\n', 1],
  ['<rules>\n- x\n</rules>\n', undefined],
  ['`<!--` x\n', undefined],
])('nothing is added to what %j opens on line %j', async (text, line) => {
  const expected = line === undefined ? /\ba\n$/ : new RegExp(`^what line ${line} opens is never closed`)
  expect(await added(text, ['Rule: a'])).toMatch(expected)
})

test('what a file says already is not added again', async () => {
  expect(await added('- Use tabs. Ask.\n', ['Rule: ask', 'Rule: run'])).toBe('- Use tabs. Ask.\n- run\n')
  expect(await added('- Use tabs. Ask.\n', ['Rule: ask'])).toBe('the file says this already, in these words')
})

const path = join(folder, 'rules.md')
const rulesArbitrary = fc.array(
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((rule) => rule.trim() !== ''),
  { minLength: 1, maxLength: 5 },
)
const textArbitrary = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    // A NUL byte in every third place is no text, and refused.
    fc.constantFrom('\n', '\r\n', '\n\n', '---\n', 'a: 1\n', '\uFEFF', 'a \0 in words'),
  ),
).map((pieces) => pieces.join(''))

test('whatever a file says, an addition keeps every earlier byte', async () => {
  await fc.assert(
    fc.asyncProperty(textArbitrary, rulesArbitrary, async (text, rules) => {
      writeFileSync(path, text)
      const before = readFileSync(path)
      const { status } = await appendRules({ filePath: path, rules })
      const after = readFileSync(path)
      expect(after.subarray(0, before.length).equals(before)).toBe(true)
      expect(after.length > before.length).toBe(status === 'success')
    }),
    { numRuns: 60 },
  )
})

test('whatever a file says, a rewrite then a discovery gives exactly the rules after its frontmatter', async () => {
  await fc.assert(
    fc.asyncProperty(textArbitrary, rulesArbitrary, async (text, rules) => {
      writeFileSync(path, text)
      const [before] = await readFilePaths(folder, ['rules.md'])
      expect((await processFile({ file: before!, rules })).status).toBe('success')
      const [after] = await readFilePaths(folder, ['rules.md'])
      const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
      const { frontmatter } = splitFrontmatter(text.slice(mark.length))
      const gap = frontmatter === '' ? '' : frontmatter.endsWith('\n') ? '\n' : '\n\n'
      const ending = lineEndingOf(text)
      expect(after!.content).toBe(mark + frontmatter + inLineEnding(gap + joinRules(rules), ending))
    }),
    { numRuns: 60 },
  )
})

test('sources that are gone leave the file as it is', async () => {
  writeFileSync(path, 'new words\n')
  const [file] = await readFilePaths(folder, ['rules.md'])
  const { error } = await processFile({ file: file!, rules: ['- a'], sources: [['old words']] })
  expect([error, readFileSync(path, 'utf8')]).toEqual([
    expect.stringContaining('not there any more'),
    'new words\n',
  ])
})

test.each([
  ['CR alone', 'old\rrules\r', '- a\r- b\r', 'old\rrules\r\ra\r\rb\r'],
  ['CRLF', 'old\r\n\r\nrules\r\n', '- a\r\n- b\r\n', 'old\r\n\r\nrules\r\n\r\na\r\n\r\nb\r\n'],
  ['LF', 'old\nrules\n', '- a\n- b\n', 'old\nrules\n\na\n\nb\n'],
  [
    'CR alone with frontmatter',
    '---\ra: 1\r---\rold\r',
    '---\ra: 1\r---\r\r- a\r- b\r',
    '---\ra: 1\r---\rold\r\ra\r\rb\r',
  ],
])('%s stays the line ending of a file', async (_, text, rewritten, afterwards) => {
  expect(replaceRules(text, ['- a', '- b'], 'concise')).toBe(rewritten)
  expect(await added(text, ['- a', '- b'], { mode: 'concise' })).toBe(afterwards)
})
