// Tests which lines count as added and removed, and which are in fenced code.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { changedHunks, fencedLines } from './changed-lines.ts'

test('the lines that were not added and those that were removed are the lines of the old text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
  fc.assert(fc.property(text, text, (before, after) => {
    const hunks = changedHunks(before, after)
    const added = hunks.flatMap((hunk) => hunk.added)
    const removed = hunks.flatMap((hunk) => hunk.removed)
    const newLines = after.split('\n')
    for (const { line, text } of added) expect(newLines[line - 1]).toBe(text)
    const addedNumbers = new Set(added.map(({ line }) => line))
    const kept = newLines.filter((_, index) => !addedNumbers.has(index + 1))
    expect([...kept, ...removed].toSorted()).toEqual(before.split('\n').toSorted())
  }))
})

test('fenced code is found, even if its fence is never closed; inline code opens no fence', () => {
  expect([...fencedLines('a\n```ts\nb\n~~~\n```\nc\n- ~~~\n  d\n')]).toEqual([3, 4, 5, 8, 9])
  expect([...fencedLines('```npm test```\na\n```\n```ts\n```\nb\n')]).toEqual([4, 5])
})
