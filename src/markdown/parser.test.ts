import { expect, test } from 'bun:test'
import { isTextNode, nodesOf, treeOf } from './tree.ts'

// An unindented line continues the paragraph above it, but a label (`Code style:`) ends a list item.
test.each<[text: string, paragraphs: Array<string>]>([
  ['- Use x.\nIt is fast.', ['Use x.\nIt is fast.']],
  ['- Use x.\nCode style:', ['Use x.', 'Code style:']],
  ['Use x for all\nCode style:\nlists.', ['Use x for all\nCode style:\nlists.']],
  // After a label or title, a list may begin with any number.
  ['Code style:\n2. Use x.', ['Code style:', 'Use x.']],
  ['Style\n2. Use x.', ['Style', 'Use x.']],
  // If the lines below a tag are indented, they are read as text, not as code.
  ['<a>\n    Use x.\n    </a>\nUse y.', ['Use x.', 'Use y.']],
])('%j has the paragraphs %j', (text, paragraphs) => {
  const nodes = nodesOf(treeOf(text, 0), isTextNode)
  expect(nodes.map(({ from, to }) => text.slice(from, to).trim())).toEqual(paragraphs)
})
