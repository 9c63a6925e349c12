import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rulesArbitrary, textArbitrary } from '../test/harness/arbitraries.ts'
import { scratchWithState } from '../test/harness/scratch.ts'
import { addRules, appendRules, computeSeparator } from './append.ts'
import { isTextNode, nodesOf, treeOf } from './markdown/tree.ts'
import type { Mode } from './rule-schema.ts'

const folder = scratchWithState()
const path = join(folder, 'rules.md')

test.each([['', ''], ['a', '\n\n'], ['a\n', '\n'], ['a\n\n', '']])(
  'the separator after %j is %j',
  (text, separator) => {
    expect(computeSeparator(text)).toBe(separator)
  },
)

const textOrError = async (text: string, rules: Array<string>, options?: { mode?: Mode; after?: string }) => {
  const { data, error } = await addRules(text, { rules, ...options })
  return data?.text ?? error
}

test.each<[text: string, expected: string]>([
  ['\n', '\n\n- a\n- b\n'],
  ['old\n\n* x\n', 'old\n\n* x\n* a\n* b\n'],
  ['1) x\n2) y', '1) x\n2) y\n3) a\n4) b\n'],
  ['1. x\n1. y\n', '1. x\n1. y\n1. a\n1. b\n'],
  ['  - x\n- y\n', '  - x\n- y\n- a\n- b\n'],
  ['- x\n\n- y\n', '- x\n\n- y\n\n- a\n\n- b\n'],
  ['- [x] y\n', '- [x] y\n- [ ] a\n- [ ] b\n'],
  ['- x\r', '- x\r- a\r- b\r'],
  // `•` and `・` count as bullets, although Markdown does not know them.
  ['x\n\n• y\n• z\n', 'x\n\n• y\n• z\n• a\n• b\n'],
  ['・y\n・z', '・y\n・z\n・a\n・b\n'],
  ['– y\nz\n', '– y\nz\n\na\n\nb\n'],
  // Below a heading without content, rules become list items if most paragraphs of the text are list items.
  ['# H\n\n- x\n- y\n\nz\n\n## I\n', '# H\n\n- x\n- y\n\nz\n\n## I\n\n- a\n- b\n'],
  ['# H\n\n- x\n\ny\n\nz\n\n## I\n', '# H\n\n- x\n\ny\n\nz\n\n## I\n\na\n\nb\n'],
  ['Rule: x\nReason: y\n', 'Rule: x\nReason: y\n\nRule: a\n\nRule: b\n'],
  // The end of a list item closes the blocks in it.
  ['- x\n  ```\n  y\n', '- x\n  ```\n  y\n- a\n- b\n'],
  ['<rules>\n- x\n</rules>\n', '<rules>\n- x\n</rules>\n\n- a\n- b\n'],
  ['`<!--` x\n', '`<!--` x\n\na\n\nb\n'],
  ['```tsx\n<Button>\n```\n', '```tsx\n<Button>\n```\n\na\n\nb\n'],
  ['<a name="x" />\n', '<a name="x" />\n\na\n\nb\n'],
  ['<picture>\n<source src="x">\n</picture>\n', '<picture>\n<source src="x">\n</picture>\n\na\n\nb\n'],
])('added to the text %j, rules `- a` and `- b` take its line ending and form', async (text, expected) => {
  expect(await textOrError(text, ['- a', '- b'], { mode: 'concise' })).toBe(expected)
})

test.each<[text: string, after: string, expected: string]>([
  ['# G\n\n- x\n\n# H\n\ny\n', '# G', '# G\n\n- x\n- a. r\n\n# H\n\ny\n'],
  ['# G\n\nx\n\n# H\n', 'G', '# G\n\nx\n\na. r\n\n# H\n'],
  ['# G\n# H\n- x\n', '# G', '# G\n\n- a. r\n\n# H\n- x\n'],
  ['## G\n\n- x\n\n---\n\n## H\n', 'G', '## G\n\n- x\n- a. r\n\n---\n\n## H\n'],
  ['- x\n  - y\n- z\n', 'x', '- x\n  - y\n- a. r\n- z\n'],
  ['- x\n  - y\n- z\n', '- y', '- x\n  - y\n  - a. r\n- z\n'],
  // In a numbered list, the rule goes to the end of the list.
  ['1. x\n2. y\n\nz\n', 'x', '1. x\n2. y\n3. a. r\n\nz\n'],
  ['1. x\n2. y\n', '2. y', '1. x\n2. y\n3. a. r\n'],
  ['- x\r\n- y\r\n', 'x', '- x\r\n- a. r\r\n- y\r\n'],
  ['x\r\n\ny\n\n# H\r\n\r\nz\n', 'y', 'x\r\n\ny\n\na. r\n\n# H\r\n\r\nz\n'],
  ['> - x\n>\n> - y\n', 'y', '> - x\n>\n> - y\n>\n> - a. r\n'],
  ['> x\n> - y\n', 'x', '> x\n>\n> a. r\n>\n> - y\n'],
  // A block with exactly the words of `after` wins over a block with more words.
  ['# G\n\nG x\n\n# G H\n', '# G', '# G\n\nG x\n\na. r\n\n# G H\n'],
  ['- x y\n- **x**\n', 'x', '- x y\n- **x**\n- a. r\n'],
  ['- **Rule:** x\n- [ ] Rule: y\n', 'x', '- **Rule:** x\n- **Rule:** a\n  Reason: r\n- [ ] Rule: y\n'],
  ['- [ ] Rule: y\n', 'y', '- [ ] Rule: y\n- [ ] Rule: a\n  Reason: r\n'],
  // A label in a code block does not count.
  ['x\n\n```\nRule: y\n```\n', 'x', 'x\n\na. r\n\n```\nRule: y\n```\n'],
])('in %j, a rule is added after the words %j', async (text, after, expected) => {
  expect(await textOrError(text, ['Rule: a\nReason: r'], { after })).toBe(expected)
})

test('the line of each rule that is added to a blank text is reported', async () => {
  const { data } = await addRules('\n', { rules: ['Rule: a\nReason: r', 'Rule: b'] })
  expect(data!.lines).toEqual([{ line: 3, text: 'Rule: a' }, { line: 6, text: 'Rule: b' }])
})

test.each<[text: string, options: { after?: string }, error: string]>([
  ['x\n', { after: 'y' }, '"after" is in no heading, paragraph or list item: copy words of one'],
  [
    'x\n\nx\n',
    { after: 'x' },
    '"after" is on the lines 1, 3: copy more words, or words of another heading, paragraph or item',
  ],
  ['# x\n'.repeat(10), { after: 'x' }, '"after" is on the lines 1, 2, 3, 4, 5, 6, 7, 8, 9, …: copy more'],
  ['x\n\n```sh\ny\n', {}, 'line 3 opens a block that is never closed'],
  ['x\n<!-- y\n', {}, 'line 2 opens a block that is never closed'],
  ['x\n\n<script>\n', {}, 'line 3 opens a block that is never closed'],
  ['<rules>\n- x\n', {}, 'line 1 opens a block that is never closed'],
])('no rule is added to %j with the options %j: %s', async (text, options, error) => {
  expect(await textOrError(text, ['Rule: a'], options)).toStartWith(error)
})

// A text has a rule if it has all sentences of the rule in a row.
test.each<[text: string, rules: Array<string>]>([
  ['- 1.5 seconds at most\n', ['Rule: 1.5 seconds at most']],
  ['## Use tabs\n\n- [x] Ask.\n\n> Run\n> it.\n', ['Rule: use tabs', '- ask', 'Run it']],
  ['- Use tabs.\n', ['Use tabs.\nReason: Go wants it.']],
  ['> Open 80,\n> 443.\n\n(20) (30)\n', ['Open 80 443', '20, 30']],
  ['Rule: use tabs\n\nNever mix.\nReason: wide\n', ['Rule: use tabs\n\nNever mix.\nReason: wide']],
])('%j already has all of the rules %j: nothing is added', async (text, rules) => {
  expect(await textOrError(text, rules)).toBe(
    'the file already has these rules (reasons are not compared)',
  )
})

test.each<[text: string, rules: Array<string>, expected: string]>([
  ['- Use tabs. Ask.\n', ['Rule: ask', 'Rule: run'], '- Use tabs. Ask.\n- run\n'],
  ['- Use tabs. Ask. Go\n', ['Rule: tabs', 'Rule: ask. Go'], '- Use tabs. Ask. Go\n- tabs\n'],
  ['- Use `a`: b.\n', ['Rule: b', 'Rule: use `a`'], '- Use `a`: b.\n- b\n- use `a`\n'],
  ['- Use `==`. Use C.\n', ['Rule: use `!=`', '- use C++'], '- Use `==`. Use C.\n- use `!=`\n- use C++\n'],
  ['- Less than < 9 `A`\n', ['Rule: less than < 9 `a`'], '- Less than < 9 `A`\n- less than < 9 `a`\n'],
  ['', ['Rule: use tabs', 'Rule: use tabs'], 'Rule: use tabs\n'],
  ['- x\n', ['Rule: Use tabs.', '- use *tabs*', 'Rule: run'], '- x\n- Use tabs.\n- run\n'],
  ['x\n', ['- a', '- b'], 'x\n\n- a\n- b\n'],
  ['- x\n', ['- a\n  b\n- x\n- c'], '- x\n- a\n  b\n- c\n'],
  // A line between fences, or with another kind of marker, begins no new item.
  ['- x\n', ['- a:\n```diff\n- x\n```'], '- x\n- a:\n  ```diff\n  - x\n  ```\n'],
  ['- x\n', ['- Wait\n10. Fail'], '- x\n- Wait\n  10. Fail\n'],
  [
    '- Run:\n  ```\n  a\n  ```\n',
    ['- Run:\n  ```\n  a\n  ```', '- Run:\n  ```\n  b\n  ```'],
    '- Run:\n  ```\n  a\n  ```\n- Run:\n  ```\n  b\n  ```\n',
  ],
])('%j gets only the rules of %j that it lacks', async (text, rules, expected) => {
  expect(await textOrError(text, rules)).toBe(expected)
})

test.each([
  ['Node 2.0', 'Node 20'],
  ['80, 443', '80443'],
  ['1:10', '110'],
  ['at most -5', 'at most 5'],
  ['match *.ts', 'match .ts'],
  ['match .ts', 'match ts'],
  ['re-sign', 'resign'],
  ['x!=y', 'x=y'],
  ['return !x', 'return x'],
  ['In Go: use tabs', 'use tabs'],
])('a text that says %j still gets the rule %j', async (said, rule) => {
  expect(await textOrError(`- ${said}.\n`, [rule])).toBe(`- ${said}.\n- ${rule}\n`)
})

test('rules are added to a file, unless it is missing or lacks the words of "after"', async () => {
  const before = '---\nglobs: "*.ts"\n---\nold'
  const after = `${before}\n\na. x\n\nb\n`
  const rules = ['Rule: a\nReason: x', 'Rule: b']
  writeFileSync(path, before)
  expect(await appendRules({ filePath: path, rules: ['- a'], mode: 'concise', after: 'gone' }))
    .toMatchObject({ status: 'refused', error: expect.stringContaining('"after" is in no heading') })
  expect(await appendRules({ filePath: path, rules }))
    .toMatchObject({ status: 'success', path, before, after, rulesCount: 2 })
  expect(readFileSync(path, 'utf8')).toBe(after)
  const filePath = join(folder, 'gone.md')
  expect(await appendRules({ filePath, rules }))
    .toMatchObject({ status: 'readError', path: filePath, error: 'no such file' })
  expect(existsSync(filePath)).toBe(false)
})

// At least one line for each kind of block.
const BLOCK_LINES =
  '- a;1. b;> c;    d;\t<b>;</b>;# e;; ;```;g <i>;- [ ] h;| j | k |;|-|-|;<!-- l -->;> - m;***;<n />'
    .split(';')

const blocksIn = (text: string): Array<string> =>
  nodesOf(treeOf(text, 0), isTextNode).map(({ from, to }) => text.slice(from, to).replace(/^\[ \] /, ''))

test('each rule that is added to random blocks is a paragraph or an item of its own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...BLOCK_LINES), { maxLength: 8 }), async (lines) => {
      const text = lines.map((line) => `${line}\n`).join('')
      const { data, error } = await addRules(text, { rules: ['zebra one', 'zebra two'] })
      if (error !== null) return expect(error).toContain('is never closed')
      const newBlocks = blocksIn(data.text).filter((block) => !blocksIn(text).includes(block))
      expect(newBlocks).toEqual(['zebra one', 'zebra two'])
    }),
    { numRuns: 300 },
  )
})

test('an addition keeps every earlier byte of a file', async () => {
  await fc.assert(
    fc.asyncProperty(textArbitrary, rulesArbitrary, async (text, rules) => {
      writeFileSync(path, text)
      const before = readFileSync(path)
      const { status } = await appendRules({ filePath: path, rules })
      const after = readFileSync(path)
      expect(after.subarray(0, before.length).equals(before)).toBe(true)
      expect(after.length > before.length).toBe(status === 'success')
    }),
    { numRuns: 30 },
  )
})
