/** A row of the table: a figure, and what it is compared with in the same run. */
export type Row = {
  /** What is measured. */
  what: string
  /** The size of the input. */
  size: string
  /** The figure with its unit. */
  figure: string
  /** What it is compared with, and the figure of that. */
  against: string
  ratio: string
}

/** A part of the bench: the default export of its module. */
export type Bench = () => Promise<Array<Row>>

const medianOf = (values: Array<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Formats milliseconds in a suitable unit. */
export const toTime = (ms: number): string =>
  ms >= 1 ? `${ms.toFixed(1)} ms` : `${(ms * 1000).toFixed(ms >= 0.01 ? 0 : 1)} µs`

/** Formats how many times as large one figure is as the other. */
export const toRatio = (figure: number, against: number): string => `${(figure / against).toFixed(2)}×`

/** Measures two tasks in turn, so that a busy machine slows down both; returns the medians. */
export const withLock = async (
  runs: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ours: number; theirs: number }> => {
  const times: { ours: Array<number>; theirs: Array<number> } = { ours: [], theirs: [] }
  for (let run = 0; run < runs; run++) {
    times.ours.push(await ours())
    times.theirs.push(await theirs())
  }
  return { ours: medianOf(times.ours), theirs: medianOf(times.theirs) }
}

const SLICE_MS = 20

/** Measures one call of `work` in milliseconds, over as many calls as fit a time slice. */
const timeOf = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  let calls = 0
  do {
    await work()
    calls++
  } while (performance.now() - start < SLICE_MS)
  return (performance.now() - start) / calls
}

/** Measures `ours` and `theirs` side by side and creates a row. */
export const sideBySide = async (
  { what, size, against }: Pick<Row, 'what' | 'size' | 'against'>,
  ours: () => unknown,
  theirs: () => unknown,
): Promise<Row> => {
  await timeOf(ours)
  await timeOf(theirs)
  const times = await withLock(9, () => timeOf(ours), () => timeOf(theirs))
  return {
    what,
    size,
    figure: toTime(times.ours),
    against: `${against} ${toTime(times.theirs)}`,
    ratio: toRatio(times.ours, times.theirs),
  }
}
