import { expect, test } from 'bun:test'
import { moveDiagnostics } from './diagnostics.ts'

const resultOf = (errors: string) => {
  const block = `<diagnostics file="/p/x.js">\n${errors}\n</diagnostics>`
  const output = `Edit applied successfully.\n\nLSP errors detected in this file, please fix:\n${block}`
  return { title: '', output, metadata: {} }
}

// The host ends a long list with the number of omitted errors.
const MORE = 'no\n  since it is\n... and 3 more'
const UNUSED = 'unused\n  it is'
const DROPPED = '... and 1 more in lines that formatting changed'

test.each<[string, before: string, after: string, error: string, expected: string]>([
  ['a line that moved', 'a;b;WRONG\n', 'a;\nb;\nWRONG;\n', '[1:5] no', '[3:1] no'],
  ['a column that moved', 'if(x){WRONG}\n', 'if (x) {\n  WRONG;\n}\n', '[1:7] no', '[2:3] no'],
  ['a position after the last word', 'f(){a\n', 'f() {\n  a;\n', '[2:1] "}" expected', '[2:5] "}" expected'],
  ['a message of several lines', 'a;WRONG\n', 'a;\nWRONG;\n', `[1:3] ${MORE}`, `[2:1] ${MORE}`],
  [
    'a removed line, whose error is only counted',
    'import {x} from "g"\nWRONG;\n',
    'WRONG;\n',
    `[1:9] ${UNUSED}\nERROR [2:1] no`,
    `[1:1] no\n${DROPPED}`,
  ],
])('errors move to their positions in the formatted file: %s', (_, before, after, error, expected) => {
  const result = resultOf(`ERROR ${error}`)
  moveDiagnostics(result, [{ path: '/p/x.js', textAfterCall: before, text: after }])
  expect(result.output).toBe(resultOf(`ERROR ${expected}`).output)
})

test('errors of a file that was not formatted stay as they are', () => {
  const result = resultOf('ERROR [1:3] no')
  moveDiagnostics(result, [{ path: '/p/y.js', textAfterCall: 'a;b', text: 'a;\nb;\n' }])
  expect(result.output).toBe(resultOf('ERROR [1:3] no').output)
})
