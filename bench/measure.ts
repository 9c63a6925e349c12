/** One line of the table: a figure, and what it was measured against in the same run. */
export type Row = {
  /** What was measured. */
  what: string
  /** How large the input was. */
  size: string
  /** The figure, with its unit. */
  figure: string
  /** What it stands against, with that one's figure. */
  against: string
  ratio: string
}

/** A part of the bench: the module's default export. */
export type Bench = () => Promise<Array<Row>>

const medianOf = (values: Array<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** A time in the unit that suits it; given in milliseconds. */
export const toTime = (ms: number): string =>
  ms >= 1 ? `${ms.toFixed(1)} ms` : `${(ms * 1000).toFixed(ms >= 0.01 ? 0 : 1)} µs`

/** How many times as large one figure is as the other. */
export const toRatio = (figure: number, against: number): string => `${(figure / against).toFixed(2)}×`

/** The medians of two measurements that are taken in turn, so that a busy machine slows both. */
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

/** The time of one call of `work` in milliseconds, over as many calls as fill a slice of time. */
const timeOf = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  let calls = 0
  do {
    await work()
    calls++
  } while (performance.now() - start < SLICE_MS)
  return (performance.now() - start) / calls
}

/** Measures `ours` against `theirs` side by side and makes a row of it. */
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
