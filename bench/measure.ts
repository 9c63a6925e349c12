/** Measures functions, and formats the figures as rows of the table that `bench/run.ts` prints. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A row of the table. It compares SAT with a baseline that was measured in the same run. */
export type Row = {
  label: string
  size: string
  figure: string
  /** The baseline's name and figure. */
  baseline: string
  ratio: string
}

export type Bench = () => Promise<Array<Row>>

type Label = Pick<Row, 'label' | 'size' | 'baseline'>

export const toTime = (ms: number): string =>
  ms >= 1 ? `${ms.toFixed(1)} ms` : `${(ms * 1000).toFixed(ms >= 0.01 ? 0 : 1)} µs`

export const toRow = ({ baseline, ...names }: Label, ours: number, theirs: number, format = toTime): Row => ({
  ...names,
  figure: format(ours),
  baseline: `${baseline} ${format(theirs)}`,
  ratio: `${(ours / theirs).toFixed(2)}×`,
})

export const medianOf = (values: Array<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Runs work, and returns its time in milliseconds. */
export const timeOf = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs work in a new temporary folder, and removes the folder. */
export const inFolder = async <T>(work: (folder: string) => T | Promise<T>): Promise<T> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-bench-')))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measure = () => number | Promise<number>

export const medianOfRuns = async (runs: number, measure: Measure): Promise<number> => {
  const figures: Array<number> = []
  for (let run = 0; run < runs; run++) figures.push(await measure())
  return medianOf(figures)
}

/** Repeats two measurements in turn, so that a busy machine slows down both. */
export const medianTimes = async (
  runs: number,
  ours: Measure,
  theirs: Measure,
): Promise<[number, number]> => {
  const times: Array<[ours: number, theirs: number]> = []
  for (let run = 0; run < runs; run++) times.push([await ours(), await theirs()])
  return [medianOf(times.map(([ours]) => ours)), medianOf(times.map(([, theirs]) => theirs))]
}

const SLICE_MS = 20

const timeOfCall = async (work: () => unknown): Promise<number> => {
  let calls = 0
  const time = await timeOf(async () => {
    const end = performance.now() + SLICE_MS
    do {
      await work()
      calls++
    } while (performance.now() < end)
  })
  return time / calls
}

export const sideBySide = async (label: Label, ours: () => unknown, theirs: () => unknown): Promise<Row> => {
  // The first runs make the engine compile the code.
  await timeOfCall(ours)
  await timeOfCall(theirs)
  return toRow(label, ...await medianTimes(9, () => timeOfCall(ours), () => timeOfCall(theirs)))
}
