import { expect, test } from 'bun:test'
import { parseMarkdown } from './parser.ts'
import { isTextNode, nodesOf } from './tree.ts'

test.each([
  ['- Use x.\nIt is fast.', ['Use x.\nIt is fast.']],
  ['- Use x.\nCode style:', ['Use x.', 'Code style:']],
  ['Use x for all\nCode style:\nlists.', ['Use x for all\nCode style:\nlists.']],
])('%j has the blocks of text that its author means', (text, blocks) => {
  const nodes = nodesOf(parseMarkdown(text), isTextNode)
  expect(nodes.map(({ from, to }) => text.slice(from, to))).toEqual(blocks)
})
