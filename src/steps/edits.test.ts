import { expect, test } from 'bun:test'
import { replacedText } from './edits.ts'
import { applySection, parsePatch, rewritePatch } from './patch-text.ts'

// Whole calls are compared with the host in test/formatting/patches.test.ts and corrected-calls.test.ts.
test.each([
  ['is the text that was there', 'a\n b\nc', 'a\nB\nc', ' b'],
  ['is unknown if more differs', 'a\nb\nc', 'a\nB\nC', null],
])('the text that an edit replaced %s', (_, before, after, replaced) => {
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

test.each<[string, section: number, text: string | null, old: string, now: string]>([
  // A patch keeps its own line endings, whatever the file has.
  ['other line endings', 0, '  FIRST()\r\n\r\n  kept()\r\n  second()', '+  first()', '+  FIRST()\n+'],
  ['more lines', 0, '  first(\n  );\n  kept()\n  second()', '+  first()', '+  first(\n+  );'],
  ['fewer lines', 1, 'ONE\n', '+one\n+two', '+ONE'],
  ['a changed context', 0, '  1\n  2\n  second()', '+  first()\n   kept()', '-  kept()\n+  1\n+  2'],
  ['null, which changes nothing', 0, null, '', ''],
])('a section of a patch is changed to write another text: %s', (_, section, text, old, now) => {
  expect(rewritePatch(PATCH, parsePatch(PATCH)[section]!, [text])).toBe(PATCH.replace(old, now))
})

test('a section whose hunks overlap is not applied', () => {
  // The first hunk adds a line above the blank last line, which is among those that the second one removes.
  const [overlapping] = parsePatch('*** Update File: x\n@@\n+z\n@@\n-a\n-')
  expect(applySection(overlapping!, 'a\n\n')).toBeNull()
})
