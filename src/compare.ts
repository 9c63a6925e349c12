/** Compares the sizes of files before and after a rewrite, and builds a table of these sizes. */
import { basename } from 'node:path'
import type { Unwritten, Written } from './writing/write.ts'

/** The numbers are bytes, except `percent`: the difference in percent of the original size. */
type ComparisonResult = {
  file: string
  original: number
  generated: number
  difference: number
  percent: number
}

export type FileResult = Written & { rulesCount: number; comparison: ComparisonResult } | Unwritten

/** `comparison` is null if the rewrite failed. */
type TableRow = { file: string; status: string; rules: number; comparison: ComparisonResult | null }

const compareSizes = (file: string, original: number, generated: number): ComparisonResult => {
  const difference = generated - original
  const percent = original === 0 ? Math.sign(difference) * 100 : (difference / original) * 100
  return { file, original, generated, difference, percent }
}

export const compareBytes = (file: string, original: string, generated: string): ComparisonResult =>
  compareSizes(file, Buffer.byteLength(original), Buffer.byteLength(generated))

export const summarize = (comparisons: Array<ComparisonResult>): ComparisonResult => {
  const sumOf = (size: 'original' | 'generated'): number =>
    comparisons.reduce((sum, comparison) => sum + comparison[size], 0)
  return compareSizes('TOTAL', sumOf('original'), sumOf('generated'))
}

const FAILURES: Record<Unwritten['status'], string> = {
  readError: 'Read error',
  writeError: 'Write error',
  refused: 'Refused',
  stopped: 'Not written',
}

export const toTableRow = (result: FileResult): TableRow => {
  if (result.status !== 'success') {
    return { file: basename(result.path), status: FAILURES[result.status], rules: 0, comparison: null }
  }
  const { comparison, rulesCount } = result
  return { file: comparison.file, status: 'Success', rules: rulesCount, comparison }
}

const HEADER = ['File', 'Status', 'Rules', 'Original', 'Generated', 'Diff', 'Change']

const FIRST_NUMBER_COLUMN = 2

const toCells = ({ file, status, rules, comparison }: TableRow): Array<string> => {
  // A pipe or a line break in a file name would end the cell.
  const name = file.replace(/\s+/g, ' ').replaceAll('|', '\\|')
  if (comparison === null) return [name, status, '-', '-', '-', '-', '-']
  const { original, generated, difference, percent } = comparison
  const sign = difference > 0 ? '+' : ''
  const sizes = [rules, original, generated].map(String)
  return [name, status, ...sizes, `${sign}${difference}`, `${sign}${percent.toFixed(1)}%`]
}

const toTable = (rows: Array<TableRow>): Array<string> => {
  const cells = rows.map(toCells)
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]!.length))
  )
  const dashes = widths.map((width, column) =>
    column < FIRST_NUMBER_COLUMN ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`
  )
  const pad = (text: string, column: number): string =>
    column < FIRST_NUMBER_COLUMN ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
  return [HEADER, dashes, ...cells].map((row) => `| ${row.map(pad).join(' | ')} |`)
}

// -1 puts a failed rewrite last.
const absoluteDifference = ({ comparison }: TableRow): number =>
  comparison === null ? -1 : Math.abs(comparison.difference)

/** Builds a table with the largest difference first, a total, and the bytes saved or added. */
export const buildTable = (rows: Array<TableRow>): string => {
  const sorted = rows.toSorted((a, b) => absoluteDifference(b) - absoluteDifference(a))
  const comparisons = rows.flatMap(({ comparison }) => comparison ?? [])
  const total = summarize(comparisons)
  const status = `${comparisons.length}/${rows.length}`
  const rules = rows.reduce((sum, row) => sum + row.rules, 0)
  const verb = total.difference > 0 ? 'INCREASED' : 'SAVED'
  return [
    ...toTable([...sorted, { file: 'TOTAL', status, rules, comparison: total }]),
    '',
    `${verb} ${Math.abs(total.difference)} bytes (${Math.abs(total.percent).toFixed(1)}%)`,
  ].join('\n')
}
