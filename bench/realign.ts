/** Format on save: how long it takes to realign an edit in a large file, and how many edits can be realigned. */
import fc from 'fast-check'
import { realign } from '../src/format-on-save/realign.ts'
import { editCase, isFormattedApart } from '../test/format-on-save-cases.ts'

const LARGE = 1_000_000
const ROUNDS = 15
const EDITS = 2_000
const SEED = 20_261_121

/** A file of about a million characters as a formatter would print it, and as a person might have typed it. */
const largeFile = (): { tidy: string; untidy: string } => {
  const tidy: Array<string> = []
  const untidy: Array<string> = []
  for (let index = 0, size = 0; size < LARGE; index += 1) {
    tidy.push(
      `export const value${index} = (one, two) => {\n  return compute(one, 'text', [two, ${index}]);\n};\n`,
    )
    untidy.push(
      `export const value${index}=(one,two)=>{\n    return compute( one,"text",[two,${index}] )\n}\n`,
    )
    size += tidy.at(-1)!.length
  }
  return { tidy: tidy.join(''), untidy: untidy.join('') }
}

const median = (times: Array<number>): number =>
  times.toSorted((one, other) => one - other)[times.length >> 1]!

const timeOf = (raw: string, formatted: string, edit: string): number => {
  const start = raw.indexOf(edit)
  const range = { start, end: start + edit.length }
  return median(Array.from({ length: ROUNDS }, () => {
    const from = performance.now()
    if (!realign(raw, formatted)(range)) throw new Error('the edit was not realigned')
    return performance.now() - from
  }))
}

export type RealignFigures = {
  /** Milliseconds to realign one edit in a formatted file of 1 MB. */
  oneEditMs: number
  /** Milliseconds to realign one edit in a file of 1 MB of which every line was formatted. */
  everyLineMs: number
  /** The share of generated edits that are realigned, and that the stable ranges of format-on-save.md would be. */
  realigned: number
  stableRanges: number
}

/** Measures it; the rates are of edits that a real formatter changed, generated from a fixed seed. */
export const measureRealign = (): RealignFigures => {
  const { tidy, untidy } = largeFile()
  const middle = Math.floor((tidy.match(/\n/g)!.length / 3) / 2)
  const line = `export const value${middle} = (one, two) => {\n`
  const added = `const added = {one:1,two:"2"}\n`
  const cases = fc.sample(editCase, { numRuns: EDITS, seed: SEED })
  const rate = (isFound: (one: (typeof cases)[number]) => boolean) =>
    cases.filter(isFound).length / cases.length
  return {
    oneEditMs: timeOf(
      tidy.replace(line, added + line),
      tidy.replace(line, `const added = { one: 1, two: '2' };\n${line}`),
      added,
    ),
    everyLineMs: timeOf(
      untidy,
      tidy,
      `export const value${middle}=(one,two)=>{\n    return compute( one,"text",[two,${middle}] )\n`,
    ),
    realigned: rate(({ raw, formatted, range }) => realign(raw, formatted)(range) !== null),
    stableRanges: rate(({ raw, formatted, range }) =>
      isFormattedApart(raw.slice(0, range.start), raw.slice(range.end), formatted)
    ),
  }
}

if (import.meta.main) console.table(measureRealign())
