import { expect, test } from 'bun:test'
import { replacedText } from './edits.ts'
import { applySection, parsePatch, type PatchSection, rewritePatch } from './patch-text.ts'

test.each([
  ['found if nothing else changed', 'a\n b\nc', 'a\nB\nc', ' b'],
  ['unknown if the file also changed elsewhere', 'a\nb\nc', 'a\nB\nC', null],
])('the text that an edit replaced with `B` is %s', (_, before, after, replaced) => {
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

const [UPDATE, ADD] = parsePatch(PATCH) as [PatchSection, PatchSection]

// The section is to write `text`. The rewritten patch is `PATCH` with `now` in place of `old`.
test.each<[name: string, section: PatchSection, text: string | null, old: string, now: string]>([
  ['a blank line, in CRLF', UPDATE, '  first()\r\n\r\n  kept()\r\n  second()', '+  first()', '+  first()\n+'],
  ['a line split in two', UPDATE, '  first(\n  );\n  kept()\n  second()', '+  first()', '+  first(\n+  );'],
  ['one line instead of two', ADD, 'ONE\n', '+one\n+two', '+ONE'],
  // The line `kept()` was context; the new text lacks it, so the patch must remove it.
  ['text without context', UPDATE, '  1\n  2\n  second()', '+  first()\n   kept()', '-  kept()\n+  1\n+  2'],
  ['its own text, for null', UPDATE, null, '', ''],
])('a section of a patch is rewritten to write %s', (_, section, text, old, now) => {
  expect(rewritePatch(PATCH, section, [text])).toBe(PATCH.replace(old, now))
})

test.each([
  ['even if the file lacks its blank last line', '-a\n-\n+b', 'q\na\n', 'q\nb\n'],
  ['at a line with other indentation, not one with other quotes', '-"a"\n+b', '“a”\n  "a"\n', '“a”\nb\n'],
  ['at no line with other indentation in a long text', '-a\n+b', ` a\n${'x'.repeat(1_000_000)}`, undefined],
])('a hunk is applied %s', (_, hunk, before, after) => {
  const [section] = parsePatch(`*** Update File: x\n@@\n${hunk}`)
  expect(applySection(section!, before)?.raw).toBe(after)
})

test('a section whose hunks overlap is not applied', () => {
  // The first hunk adds `z` above the blank last line, which the second hunk removes.
  const [overlapping] = parsePatch('*** Update File: x\n@@\n+z\n@@\n-a\n-')
  expect(applySection(overlapping!, 'a\n\n')).toBeNull()
})
