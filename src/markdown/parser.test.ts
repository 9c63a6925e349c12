import { expect, test } from 'bun:test'
import { parseMarkdown } from './parser.ts'
import { isTextNode, nodesOf } from './tree.ts'

test.each<[text: string, blocks: Array<string>]>([
  ['- Use x.\nIt is fast.', ['Use x.\nIt is fast.']],
  ['- Use x.\nCode style:', ['Use x.', 'Code style:']],
  ['Use x for all\nCode style:\nlists.', ['Use x for all\nCode style:\nlists.']],
])('a label such as `Code style:` ends only list items, and a sentence ends nothing: %j', (text, blocks) => {
  const nodes = nodesOf(parseMarkdown(text), isTextNode)
  expect(nodes.map(({ from, to }) => text.slice(from, to))).toEqual(blocks)
})
