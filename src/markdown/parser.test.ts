import { expect, test } from 'bun:test'
import { parseMarkdown } from './parser.ts'
import { isTextNode, nodesOf } from './tree.ts'

// An unindented line continues the paragraph above it, but a label (`Code style:`) ends a list item.
test.each<[text: string, paragraphs: Array<string>]>([
  ['- Use x.\nIt is fast.', ['Use x.\nIt is fast.']],
  ['- Use x.\nCode style:', ['Use x.', 'Code style:']],
  ['Use x for all\nCode style:\nlists.', ['Use x for all\nCode style:\nlists.']],
])('%j has the paragraphs %j', (text, paragraphs) => {
  const nodes = nodesOf(parseMarkdown(text), isTextNode)
  expect(nodes.map(({ from, to }) => text.slice(from, to))).toEqual(paragraphs)
})
