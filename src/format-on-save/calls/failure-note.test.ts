import { expect, test } from 'bun:test'
import { failureNote } from './failure-note.ts'

const sixtyLines = (word: string) => Array.from({ length: 60 }, (_, index) => `${word} ${index}`).join('\n')

const FAILURE = { command: 'prettier --write', status: 'failed (status 2)', code: 2, mayHaveWritten: false }
const FAILED = 'x.ts was not formatted: `prettier --write` failed (status 2):\n'

test('the note has the first lines of the output, without blank lines and stack traces', () => {
  const error = "[error] x.ts: SyntaxError: ',' expected. (3:5)"
  const output = `${error}\n\n[error]   1 | a\n    at parse (x.js:1)\n${sixtyLines('[error]')}`
  const note = failureNote('x.ts', { ...FAILURE, output })
  expect(note).toStartWith(`${FAILED}${error}\n[error]   1 | a\n[error] 0\n`)
  expect(note.length).toBeLessThan(900)
})

const SAME = 'x.ts is still not formatted: `prettier --write` failed (status 2), with the same output'

test.each<[last: string, output: string, note: string]>([
  ['x.ts (1:5)\n    at a.js:1', 'x.ts (1:5)\n    at a.js:2', `${SAME}.`],
  [
    'error: no ";"\n --> x.ts:1:5',
    'error: no ";"\n --> x.ts:3:5',
    `${SAME} except for numbers:\n --> x.ts:3:5`,
  ],
  ['(node:7) old\nExpected 1', '(node:8) old\nExpected 3', `${SAME} except for numbers:\nExpected 3`],
  [
    '(node:7) old\nExpected 1 name',
    '(node:8) old\nExpected 3 names',
    `${FAILED}(node:8) old\nExpected 3 names`,
  ],
])('if the last output was %j, a failure with %j is reported as %j', (last, output, note) => {
  expect(failureNote('x.ts', { ...FAILURE, output }, last)).toBe(note)
})

test('if the error of a failed formatter is below many remarks, the note begins with the error', () => {
  const remarks = sixtyLines('x.ts:1:7 noUnusedVariables')
  const error = 'x.ts:3:10 parse\n  × expected ":"'
  expect(failureNote('x.ts', { ...FAILURE, output: `${remarks}\n${error}` })).toBe(FAILED + error)
})
