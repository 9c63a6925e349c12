import { expect, test } from 'bun:test'
import { type Applied, applyEdit, replacedText } from './edits.ts'
import { applySection, parsePatch, rewritePatch } from './patch-text.ts'

const textsOf = (applied: Applied | null) =>
  applied?.changes.map(({ range: { from: start, to: end } }) => applied.raw.slice(start, end))

test.each<
  [string, string | null, { oldString: string; newString: string; replaceAll?: boolean }, string | null]
>([
  ['one place', 'a b c', { oldString: 'b', newString: 'B' }, 'a B c'],
  ['every place', 'b b', { oldString: 'b', newString: 'B', replaceAll: true }, 'B B'],
  ['a file that is new', null, { oldString: '', newString: 'x' }, 'x'],
  ["the file's line ends", 'a\r\nb\r\n', { oldString: 'a\nb', newString: 'c\nd' }, 'c\r\nd\r\n'],
  ['more places than one', 'b b', { oldString: 'b', newString: 'B' }, null],
  ['no place', 'a', { oldString: 'x', newString: 'B' }, null],
  ['an empty old text in a file that is there', 'a', { oldString: '', newString: 'B' }, null],
])('an edit is simulated: %s', (_, before, edit, expected) => {
  const applied = applyEdit(before, { replaceAll: false, ...edit })
  expect(applied?.raw ?? null).toBe(expected)
  for (const text of textsOf(applied) ?? []) {
    expect(text.replaceAll('\r\n', '\n')).toBe(edit.newString)
  }
})

test.each([
  ['is what stood in its place', 'a\n b\nc', 'a\nB\nc', ' b'],
  ['is not sure where more differs', 'a\nb\nc', 'a\nB\nC', null],
])('what an edit replaced %s', (_, before, after, replaced) => {
  expect(replacedText(before, after, 'B')).toBe(replaced)
})

const PATCH = `*** Begin Patch
*** Update File: x
@@ function two() {
-  old()
+  first()
   kept()
+  second()
*** Add File: y
+one
+two
*** End Patch`

test('a patch is applied below the line that it names, and its added lines are known and rewritten', () => {
  const before = 'function one() {\n  old()\n  kept()\n}\nfunction two() {\n  old()\n  kept()\n}\n'
  const [update, add] = parsePatch(PATCH)
  const applied = applySection(update!, before)!
  expect(applied.raw).toBe(
    'function one() {\n  old()\n  kept()\n}\nfunction two() {\n  first()\n  kept()\n  second()\n}\n',
  )
  expect(textsOf(applied)).toEqual(['  first()\n  kept()\n  second()'])
  expect(applied.changes.map(({ old }) => old)).toEqual(['  old()\n  kept()'])
  expect(textsOf(applySection(add!, null))).toEqual(['one\ntwo\n'])
  // A patch has the line ends of its own, whatever the file's are.
  const first = '  FIRST()\r\n\r\n  kept()\r\n  second()'
  expect(rewritePatch(PATCH, update!, [first])).toBe(PATCH.replace('+  first()', '+  FIRST()\n+'))
  expect(rewritePatch(PATCH, update!, ['  first(\n  );\n  kept()\n  second();'])).toBe(
    PATCH.replace('+  first()', '+  first(\n+  );').replace('+  second()', '+  second();'),
  )
  expect(rewritePatch(PATCH, add!, ['ONE\n'])).toBe(PATCH.replace('+one\n+two', '+ONE'))
  // A context line that the formatter changed is removed and added.
  expect(rewritePatch(PATCH, update!, ['  first()\n  kept();\n  second()'])).toBe(
    PATCH.replace('+  first()\n   kept()', '-  kept()\n+  first()\n+  kept();'),
  )
  expect(rewritePatch(PATCH, update!, [null])).toBe(PATCH)
})

// What is simulated is compared with the host in test/formatting/patches.test.ts.
test('a patch whose place is not in the file is not simulated', () => {
  const [update] = parsePatch(PATCH)
  expect(applySection(update!, 'nothing of it\n')).toBeNull()
  expect(applySection(update!, null)).toBeNull()
  const [over] = parsePatch('*** Update File: x\n@@\n+z\n@@\n-a\n-')
  expect(applySection(over!, 'a\n\n')).toBeNull()
})
