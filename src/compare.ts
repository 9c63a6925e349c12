/** Compares the sizes of files before and after a rewrite, and builds a table of them. */
import { basename } from 'node:path'
import type { Unwritten, Written } from './writing/write.ts'

/**
 * The sizes of a file in bytes of UTF-8. `percent` is the difference relative to the original; 0 if both are empty, 100 if
 * only the original is.
 */
export type ComparisonResult = {
  file: string
  original: number
  generated: number
  difference: number
  percent: number
}

const FAILURES: Record<Unwritten['status'], string> = {
  readError: 'Read error',
  writeError: 'Write error',
  refused: 'Refused',
  stopped: 'Not written',
}

/** The result for one file. */
export type FileResult = Written & { rulesCount: number; comparison: ComparisonResult } | Unwritten

/** A row of the table; `comparison` is null if the file was not written. */
export type TableRow = { file: string; status: string; rules: number; comparison: ComparisonResult | null }

const compareSizes = (file: string, original: number, generated: number): ComparisonResult => ({
  file,
  original,
  generated,
  difference: generated - original,
  percent: original === 0 ? (generated === 0 ? 0 : 100) : ((generated - original) / original) * 100,
})

/** Compares the sizes of two texts in bytes. */
export const compareBytes = (file: string, original: string, generated: string): ComparisonResult =>
  compareSizes(file, Buffer.byteLength(original), Buffer.byteLength(generated))

/** Sums comparisons up in one named `TOTAL`. */
export const summarize = (comparisons: Array<ComparisonResult>): ComparisonResult =>
  compareSizes(
    'TOTAL',
    comparisons.reduce((sum, { original }) => sum + original, 0),
    comparisons.reduce((sum, { generated }) => sum + generated, 0),
  )

/** Creates the table row of a file. The row of a file that was not written shows the failure and no sizes. */
export const toTableRow = (result: FileResult): TableRow =>
  result.status === 'success'
    ? {
      file: result.comparison.file,
      status: 'Success',
      rules: result.rulesCount,
      comparison: result.comparison,
    }
    : { file: basename(result.path), status: FAILURES[result.status], rules: 0, comparison: null }

const toCells = ({ file, status, rules, comparison }: TableRow): Array<string> => {
  if (comparison === null) return [file, status, '-', '-', '-', '-', '-']
  const { original, generated, difference, percent } = comparison
  const sign = difference > 0 ? '+' : ''
  const sizes = [rules, original, generated].map(String)
  return [file, status, ...sizes, `${sign}${difference}`, `${sign}${percent.toFixed(1)}%`]
}

const HEADER = ['File', 'Status', 'Rules', 'Original', 'Generated', 'Diff', 'Change']

// From this column on, the cells are right-aligned numbers.
const FIRST_FIGURE = 2

// A pipe or a line break in a file name would end the cell.
const toCell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')

const toTable = (lines: Array<Array<string>>): Array<string> => {
  const cells = lines.map((line) => line.map(toCell))
  const widths = HEADER.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const pad = (text: string, column: number) =>
    column < FIRST_FIGURE ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  const [header = '', ...rows] = cells.map((line) => `| ${line.map(pad).join(' | ')} |`)
  const dashes = widths.map((width, column) => '-'.repeat(width - 1) + (column < FIRST_FIGURE ? '-' : ':'))
  return [header, `| ${dashes.join(' | ')} |`, ...rows]
}

/** Builds the table: one row per file, sorted by absolute difference, a TOTAL row, and the number of bytes saved or added. */
export const buildTable = (rows: Array<TableRow>): string => {
  const absoluteDifference = (row: TableRow) =>
    row.comparison === null ? -1 : Math.abs(row.comparison.difference)
  const sorted = rows.toSorted((a, b) => absoluteDifference(b) - absoluteDifference(a))
  const compared = rows.flatMap(({ comparison }) => comparison === null ? [] : [comparison])
  const total = summarize(compared)
  const totalRow: TableRow = {
    file: 'TOTAL',
    status: `${compared.length}/${rows.length}`,
    rules: rows.reduce((sum, row) => sum + row.rules, 0),
    comparison: total,
  }
  const verb = total.difference > 0 ? 'INCREASED' : 'SAVED'
  return [
    ...toTable([HEADER, ...[...sorted, totalRow].map(toCells)]),
    '',
    `${verb} ${Math.abs(total.difference)} bytes (${Math.abs(total.percent).toFixed(1)}%)`,
  ].join('\n')
}
