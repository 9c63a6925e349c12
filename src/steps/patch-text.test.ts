import { expect, test } from 'bun:test'
import { applySection, parsePatch, rewritePatch } from './patch-text.ts'

const patchOf = (...lines: Array<string>) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

const UPDATE = '*** Update File: x\n@@ function two() {'
const HUNK = '-  old\n+  a\n   kept\n+  b'
const ADD = '*** Add File: y'

test.each<[name: string, text: string | null, hunk: string]>([
  ['text with a new blank line', '  a\r\n\r\n  kept\r\n  b', '-  old\n+  a\n+\n   kept\n+  b'],
  ['text with a line split in two', '  a(\n  );\n  kept\n  b', '-  old\n+  a(\n+  );\n   kept\n+  b'],
  ['text without the line of context', '  1\n  2\n  b', '-  old\n-  kept\n+  1\n+  2\n+  b'],
  ['its own text if the new text is null', null, HUNK],
])('a rewritten hunk writes %s: %j', (_, text, hunk) => {
  const patch = patchOf(UPDATE, HUNK, ADD, '+one')
  expect(rewritePatch(patch, parsePatch(patch)[0]!, [text])).toBe(patchOf(UPDATE, hunk, ADD, '+one'))
})

test('a rewritten hunk keeps its context and its line endings (CRLF)', () => {
  const patch = patchOf(UPDATE, HUNK).replaceAll('\n', '\r\n')
  const rewritten = rewritePatch(patch, parsePatch(patch)[0]!, ['  A\n  kept\n  b'])
  expect(rewritten).toBe(patch.replace('+  a', '+  A'))
})

test('a patch with CRLF and an empty hunk moves its file and is rewritten', () => {
  const patch = patchOf('*** Update File: x', '*** Move to: y', '@@', '@@', '-a', '+b').replaceAll(
    '\n',
    '\r\n',
  )
  const [section] = parsePatch(patch)
  expect(section).toMatchObject({ path: 'x', moveTo: 'y' })
  expect(rewritePatch(patch, section!, ['', 'b;'])).toBe(patch.replace('+b', '+b;'))
})

test('an added file is rewritten to have one line instead of two', () => {
  const patch = patchOf(UPDATE, HUNK, ADD, '+one', '+two')
  expect(rewritePatch(patch, parsePatch(patch)[1]!, ['ONE\n'])).toBe(patchOf(UPDATE, HUNK, ADD, '+ONE'))
})

test.each([
  ["even if the file lacks the hunk's blank last line", '-a\n-\n+b', 'q\na\n', 'q\nb\n'],
  [
    'at a line that differs in indentation, not at an earlier line that differs in quotes',
    '-"a"\n+b',
    '“a”\n  "a"\n',
    '“a”\nb\n',
  ],
  ['in a long text only where its lines match exactly', '-a\n+b', ` a\n${'x'.repeat(1_000_000)}`, undefined],
])('a hunk is applied %s', (_, hunk, before, after) => {
  const [section] = parsePatch(`*** Update File: x\n@@\n${hunk}`)
  expect(applySection(section!, before)?.raw).toBe(after)
})

test('a section whose hunks overlap is not applied', () => {
  // The first hunk adds `z` above the blank last line, which the second hunk removes.
  const [overlapping] = parsePatch('*** Update File: x\n@@\n+z\n@@\n-a\n-')
  expect(applySection(overlapping!, 'a\n\n')).toBeNull()
})
