import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchWithState } from '../test/harness/scratch.ts'
import { addRules, appendRules, computeSeparator } from './append.ts'
import { readFilePaths } from './discover.ts'
import { itemsAfter } from './in-place/index.ts'
import { splitFrontmatter } from './markdown/frontmatter.ts'
import { joinRules, processFile, replaceRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from './text/line-ending.ts'
import { withoutMark } from './text/read.ts'

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

test.each([
  ['old\r\nold\r\n', 'old\r\nold\r\n\r\n- a\r\n- b\r\n'],
  ['old\r\n\r\n', 'old\r\n\r\n- a\r\n- b\r\n'],
  ['old\r\nold', 'old\r\nold\r\n\r\n- a\r\n- b\r\n'],
  ['mixed\r\nmostly\nunix\n', 'mixed\r\nmostly\nunix\n\n- a\n- b\n'],
  ['old\n\n* x\n', 'old\n\n* x\n* a\n* b\n'],
  ['1) x\n2) y', '1) x\n2) y\n3) a\n4) b\n'],
  ['  - x\n- y\n', '  - x\n- y\n- a\n- b\n'],
  ['- x\n\nend\n', '- x\n\nend\n\n- a\n- b\n'],
  ['- x\r', '- x\r- a\r- b\r'],
])('to %j is added in its own line ending', async (text, expected) => {
  expect(await addRules(text, ['- a', '- b'], 'concise')).toBe(expected)
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
      expect((await appendRules({ filePath: path, rules })).status).toBe('success')
      const after = readFileSync(path)
      expect(after.subarray(0, before.length).equals(before)).toBe(true)
      const added = withLineFeeds(after.subarray(before.length).toString())
      // After a list they are items of it.
      const isItem = itemsAfter(withoutMark(before.toString()), rules) !== null
      if (!isItem) expect(added.trimStart()).toBe(joinRules(rules).trimStart())
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
  ['CR alone', 'old\rrules\r', '- a\r- b\r', 'old\rrules\r\r- a\r- b\r'],
  ['CRLF', 'old\r\n\r\nrules\r\n', '- a\r\n- b\r\n', 'old\r\n\r\nrules\r\n\r\n- a\r\n- b\r\n'],
  ['LF', 'old\nrules\n', '- a\n- b\n', 'old\nrules\n\n- a\n- b\n'],
  [
    'CR alone with frontmatter',
    '---\ra: 1\r---\rold\r',
    '---\ra: 1\r---\r\r- a\r- b\r',
    '---\ra: 1\r---\rold\r\r- a\r- b\r',
  ],
])('%s stays the line ending of a file', async (_, text, rewritten, added) => {
  expect(replaceRules(text, ['- a', '- b'], 'concise')).toBe(rewritten)
  expect(await addRules(text, ['- a', '- b'], 'concise')).toBe(added)
})
