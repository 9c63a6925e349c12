/** Limits the cost of a project's rules: `Budget` limits reading them, and `TimeBudget` limits checking lines. */
import { setImmediate } from 'node:timers/promises'

/** The remaining budget for reading rules, so that a cloned repository cannot slow a session down. */
export type Budget = {
  ms: number
  patterns: number
  /** How many instructions all patterns together may compile to (an estimate). */
  instructions: number
  /** How many patterns all globs together may expand to: `{a,b}` expands to two. */
  globs: number
  keywords: number
}

/** A usual project spends a hundredth of this budget. */
export const sessionBudget = (): Budget => ({
  ms: 300,
  patterns: 200,
  instructions: 20_000,
  globs: 10_000,
  keywords: 2_000,
})

export const NO_TIME = `reading the earlier rules took ${sessionBudget().ms} ms, the limit of a session`

export const NO_ROOM =
  `the globs of the earlier rules expand to ${sessionBudget().globs} patterns, the limit of a session`

const elapsedMs = (wallMs: number, cpuBefore: NodeJS.CpuUsage): number => {
  // The wall time includes other programs, and the processor time includes the host's other threads.
  // The smaller time is therefore closer to the time of the work itself.
  const { user, system } = process.cpuUsage(cpuBefore)
  return Math.min(wallMs, (user + system) / 1_000)
}

/** Runs synchronous work and deducts its time from a budget. */
export const spend = <T>(budget: Pick<Budget, 'ms'>, work: () => T): T => {
  const [start, cpuBefore] = [performance.now(), process.cpuUsage()]
  try {
    return work()
  } finally {
    budget.ms -= elapsedMs(performance.now() - start, cpuBefore)
  }
}

const MAX_MS = 300
const SLICE_MS = 20

/** Limits the time of all checks of a step. The checks run in slices, between which the host can do other work. */
export class TimeBudget {
  /** Callers count here the earlier violations that they could not check again in time. */
  uncheckedViolations = 0
  #msLeft: number
  #sliceWallMs = 0
  #cpuAtSliceStart = process.cpuUsage()

  constructor(limitMs = MAX_MS) {
    this.#msLeft = limitMs
  }

  async #endSlice(): Promise<void> {
    this.#msLeft -= elapsedMs(this.#sliceWallMs, this.#cpuAtSliceStart)
    await setImmediate()
    this.#sliceWallMs = 0
    this.#cpuAtSliceStart = process.cpuUsage()
  }

  /** Runs work, or returns undefined if no time is left. */
  async run<T>(work: () => T): Promise<T | undefined> {
    let result: T | undefined
    await this.forEach([work], () => result = work())
    return result
  }

  /** `untested` counts the items for which no time was left. */
  async filter<T>(items: Array<T>, test: (item: T) => boolean) {
    const kept: Array<T> = []
    const untested = await this.forEach(items, (item) => {
      if (test(item)) kept.push(item)
    })
    return { kept, untested }
  }

  /** Calls `work` for each item while time is left. Returns the number of remaining items. */
  async forEach<T>(items: Array<T>, work: (item: T) => unknown): Promise<number> {
    let done = 0
    for (const item of items) {
      if (this.#sliceWallMs >= SLICE_MS) await this.#endSlice()
      if (this.#msLeft <= 0) break
      const start = performance.now()
      work(item)
      this.#sliceWallMs += performance.now() - start
      done += 1
    }
    return items.length - done
  }
}
