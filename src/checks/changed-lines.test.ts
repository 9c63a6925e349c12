import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { changedHunks, fencedLines } from './changed-lines.ts'

test('the old text consists of the removed lines and the unchanged lines of the new text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
  fc.assert(fc.property(text, text, (before, after) => {
    const hunks = changedHunks(before, after)
    const added = hunks.flatMap((hunk) => hunk.added)
    const newLines = after.split('\n')
    for (const { line, text } of added) expect(newLines[line - 1]).toBe(text)
    const kept = newLines.filter((_, index) => !added.some(({ line }) => line === index + 1))
    const removed = hunks.flatMap((hunk) => hunk.removed)
    expect([...kept, ...removed].toSorted()).toEqual(before.split('\n').toSorted())
  }))
})

test.each<[text: string, fenced: Array<string>]>([
  // A fence that is never closed reaches to the end.
  ['a\n```ts\nb\n~~~\n```\nc\n- ~~~\n  d\n', ['3 b', '4 ~~~', '5 ```', '8   d', '9 ']],
  // A line with a language, such as `ts`, closes no fence.
  ['```npm test```\na\n```\n```ts\n```\nb\n', ['4 ```ts', '5 ```']],
])('in %j, the lines of fenced code and the closing fences are %j', (text, fenced) => {
  expect(Array.from(fencedLines(text), (line) => `${line} ${text.split('\n')[line - 1]}`)).toEqual(fenced)
})
