import { expect, test } from 'bun:test'
import { replacedText } from './edits.ts'

// If `oldString` is not in the file, the host may replace similar text: ` b` instead of `b`. SAT finds that text by
// comparing the file before and after.
test.each([
  ['` b`, if nothing else changed', 'a\n b\nc', 'a\nB\nc', ' b'],
  ['unknown, if the file also changed elsewhere', 'a\nb\nc', 'a\nB\nC', null],
])('the text that an edit replaced with `B` is %s', (_, before, after, replaced) => {
  expect(replacedText(before, after, 'B')).toBe(replaced)
})
