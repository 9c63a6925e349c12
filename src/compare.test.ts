import { expect, test } from 'bun:test'
import { buildTable, compareBytes, type FileResult, toTableRow } from './compare.ts'

const success = (path: string, original: string, generated: string, rulesCount = 1) =>
  ({ status: 'success', rulesCount, comparison: compareBytes(path, original, generated) }) as FileResult

test.each([['', '', 0, 0], ['abcd', 'abc', -1, -25], ['', 'abc', 3, 100], ['ä→😀', '', -9, -100]])(
  'from %j to %j, the size changes by %d bytes of UTF-8, or %d percent',
  (original, generated, difference, percent) => {
    expect(compareBytes('f', original, generated)).toMatchObject({ file: 'f', difference, percent })
  },
)

test('the table starts with the largest difference, and ends with the failures and the total', () => {
  const failed: FileResult = { status: 'readError', path: '/p/gone.md', error: 'no such file' }
  const table = buildTable(
    [
      failed,
      success('small.md', 'aaaa', 'aaa'),
      success('a|b\nc.md', 'a', 'aaaa', 2),
      success('big.md', 'a'.repeat(20), 'a'),
    ].map(toTableRow),
  )
  // An escaped pipe does not separate cells. The second row has only dashes.
  const rows = table.split('\n').filter((line) => line.startsWith('|')).map((line) =>
    line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim())
  )
  expect(rows.toSpliced(1, 1)).toEqual([
    ['File', 'Status', 'Rules', 'Original', 'Generated', 'Diff', 'Change'],
    ['big.md', 'Success', '1', '20', '1', '-19', '-95.0%'],
    ['a\\|b c.md', 'Success', '2', '1', '4', '+3', '+300.0%'],
    ['small.md', 'Success', '1', '4', '3', '-1', '-25.0%'],
    ['gone.md', 'Read error', '-', '-', '-', '-', '-'],
    ['TOTAL', '3/4', '4', '25', '8', '-17', '-68.0%'],
  ])
  expect(table.split('\n').slice(-2)).toEqual(['', 'SAVED 17 bytes (68.0%)'])
})

test('the last line says INCREASED if the new texts have more bytes, otherwise SAVED', () => {
  expect(buildTable([toTableRow(success('a.md', 'aa', 'bb'))])).toEndWith('\nSAVED 0 bytes (0.0%)')
  expect(buildTable([toTableRow(success('a.md', 'aa', 'aaa'))])).toEndWith('\nINCREASED 1 bytes (50.0%)')
})
