import { expect, test } from 'bun:test'
import { carryDiagnostics } from './diagnostics.ts'

const resultOf = (...errors: Array<string>) => ({
  title: '',
  output:
    `Edit applied successfully.\n\nLSP errors detected in this file, please fix:\n<diagnostics file="/p/x.js">\n${
      errors.join('\n')
    }\n</diagnostics>`,
  metadata: {},
})

test.each<[string, string, string, Array<string>, Array<string>]>([
  ['a line that moved', 'a;b;WRONG\n', 'a;\nb;\nWRONG;\n', ['ERROR [1:5] no'], ['ERROR [3:1] no']],
  ['a column that moved', 'if(x){WRONG}\n', 'if (x) {\n  WRONG;\n}\n', ['ERROR [1:7] no'], [
    'ERROR [2:3] no',
  ]],
  ['one that stays', 'WRONG\nb=1\n', 'WRONG\nb = 1\n', ['ERROR [1:1] no'], ['ERROR [1:1] no']],
  ['after the end', 'f(){a\n', 'f() {\n  a;\n', ['ERROR [2:1] "}" expected'], ['ERROR [2:5] "}" expected']],
  ['of many lines', 'a;WRONG\n', 'a;\nWRONG;\n', ['ERROR [1:3] no\n  since it is', '... and 3 more'], [
    'ERROR [2:1] no\n  since it is',
    '... and 3 more',
  ]],
  ['whose line is gone', 'import {gone} from "g"\nWRONG;\n', 'WRONG;\n', [
    'ERROR [1:9] unused\n  it is',
    'ERROR [2:1] no',
  ], ['ERROR [1:1] no', '... and 1 more in lines that formatting changed']],
])('an error is moved to its line in the formatted file: %s', (_, before, after, errors, expected) => {
  const result = resultOf(...errors)
  carryDiagnostics(result, [{ path: '/p/x.js', textAfterCall: before, text: after }])
  expect(result.output).toBe(resultOf(...expected).output)
})

test('errors of other files stay as they are', () => {
  const result = resultOf('ERROR [1:3] no')
  carryDiagnostics(result, [{ path: '/p/y.js', textAfterCall: 'a;b', text: 'a;\nb;\n' }])
  expect(result.output).toBe(resultOf('ERROR [1:3] no').output)
})
