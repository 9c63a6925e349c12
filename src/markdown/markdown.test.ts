import { expect, test } from 'bun:test'
import { expectLinear, filled } from '../../test/within-a-second.ts'
import { readMarkdown } from './markdown.ts'

const TEXT = [
  '# Team notes #',
  '',
  'Run `bun test` before ``a ` b``, see [docs](docs/a.md) and <https://x.dev/a>.',
  '- a fence in a list:',
  '  ```sh',
  '  npm run build `x`',
  '  ~~~',
  '  ```',
  '',
  '| Name | Use |',
  '| :--- | --- |',
  '| `a.ts` | [b](c) |',
  '',
  '[ref]: https://y.dev',
  '####### seven are no heading',
  '`not closed',
  '~~~',
  'to the end',
].join('\n')

test('code blocks, tables, links, headings and names in backticks are read with their lines', () => {
  const { codeBlocks, tables, links, headings, codeSpans } = readMarkdown(TEXT)
  expect(headings).toEqual([{ line: 1, text: 'Team notes' }])
  expect(codeSpans.map(({ line, text }) => [line, text])).toEqual([[3, 'bun test'], [3, 'a ` b'], [
    12,
    'a.ts',
  ]])
  expect(links).toEqual([
    { line: 3, target: 'docs/a.md' },
    { line: 3, target: 'https://x.dev/a' },
    { line: 12, target: 'c' },
    { line: 14, target: 'https://y.dev' },
  ])
  expect(codeBlocks).toEqual([
    { line: 5, lines: ['  npm run build `x`', '  ~~~'] },
    { line: 17, lines: ['to the end'] },
  ])
  expect(tables).toEqual([{ line: 10, rows: ['| Name | Use |', '| `a.ts` | [b](c) |'] }])
})

const FORMS: Array<[what: string, text: string, forms: object]> = [
  ['a name on two lines', 'Run `npm run\nbuild` and `b`\n- `c', {
    codeSpans: [[1, 'npm run build'], [2, 'b']],
  }],
  ['indented code', 'Run:\n\n    npm run `x`\n\ttwo\n', { codeBlocks: [3], codeSpans: [] }],
  ['what goes on with an item of a list', '- one\n\n    `a`\n\n    - `b`\n', {
    codeBlocks: [],
    codeSpans: [[3, 'a'], [5, 'b']],
  }],
  ['what goes on with a paragraph', 'one\n    `a`\n', { codeBlocks: [], codeSpans: [[2, 'a']] }],
  ['a table in a quotation', '> | a | b |\n> |---|---|\n> | `c` | d |\n', {
    tables: [1],
    codeSpans: [[3, 'c']],
  }],
  ['a table behind a paragraph', 'one:\n| a |\n|---|\n| `b` |\n\n`c`', {
    tables: [2],
    codeSpans: [[4, 'b'], [6, 'c']],
  }],
  ['addresses with parentheses and blanks', '[a](https://x.dev/y_(z) "t") [b](<d/e f.md>)\n[c]: <g h.md>', {
    links: [[1, 'https://x.dev/y_(z)'], [1, 'd/e f.md'], [2, 'g h.md']],
  }],
  ['a fence of four in which three stand', '````md\n```js\n```\n````\n`a`', {
    codeBlocks: [1],
    codeSpans: [[5, 'a']],
  }],
]

test.each(FORMS)('%s', (_, text, expected) => {
  const { codeBlocks, tables, links, codeSpans } = readMarkdown(text)
  const read = {
    codeBlocks: codeBlocks.map(({ line }) => line),
    tables: tables.map(({ line }) => line),
    links: links.map(({ line, target }) => [line, target]),
    codeSpans: codeSpans.map(({ line, text }) => [line, text]),
  }
  expect(read).toMatchObject(expected)
})

test('the lines of a text that does not begin its file are counted from where it begins', () => {
  expect(readMarkdown('# a', 7).headings).toEqual([{ line: 7, text: 'a' }])
})

const HOSTILE: Record<string, (bytes: number) => string> = {
  backticks: (bytes) => filled('`', bytes),
  'runs that nothing closes': (bytes) =>
    Array.from({ length: (2 * bytes) ** 0.5 }, (_, index) => '`'.repeat(index + 1)).join(' '),
  'opened links': (bytes) => filled('[a](', bytes),
  brackets: (bytes) => filled('[', bytes),
  'references on one line': (bytes) => filled('[a]: ', bytes),
  quotations: (bytes) => filled('> ', bytes),
  'fences that nothing closes': (bytes) => filled('```\n~~~\n', bytes),
  'delimiter rows': (bytes) => filled('|-|\n', bytes),
  'one row': (bytes) => `|a|\n|-|\n${filled('|a', bytes)}`,
  'a paragraph of short lines': (bytes) => filled('a\n', bytes),
  'names on lines of their own': (bytes) => filled('`a`\n', bytes),
  'introductions': (bytes) =>
    Array.from({ length: (2 * bytes) ** 0.5 }, (_, index) => `${' '.repeat(index)}- a:`).join('\n'),
  'parentheses in addresses': (bytes) => filled(']((', bytes),
  blanks: (bytes) => `# ${filled(' ', bytes)}#`,
  'hash signs': (bytes) => `# ${filled('# ', bytes)}x`,
  addresses: (bytes) => filled('https://', bytes),
}

test.each(Object.entries(HOSTILE))('1 MB of %s is read in under a second', async (what, hostile) => {
  await expectLinear(what, (bytes) => readMarkdown(hostile(bytes)))
})

test('a line with a rule under it is a heading; a ruler behind a list or a paragraph is none', () => {
  const text = 'Team notes\n===\n\nTests\n-----\n- item\n---\n\ntwo\nlines\n---\n\n---\n---\n'
  expect(readMarkdown(text).headings).toEqual([{ line: 1, text: 'Team notes' }, { line: 4, text: 'Tests' }])
})
