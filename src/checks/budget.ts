/** Limits the cost of a project's rules: `Budget` limits reading them, and `TimeBudget` limits checking lines. */
import { setImmediate } from 'node:timers/promises'

/** The remaining budget for reading rules. The rules of a cloned repository must not slow a session down. */
export type Budget = {
  ms: number
  /** How many `forbid` and `require` patterns the rules may have. */
  patterns: number
  /** How many instructions all patterns together may compile to (an estimate). */
  instructions: number
  /** How many patterns all globs together may expand to: `{a,b}` expands to two. */
  globs: number
  keywords: number
}

/** Creates the budget for all rules of a session. A usual project spends a hundredth of it. */
export const sessionBudget = (): Budget => ({
  ms: 300,
  patterns: 200,
  instructions: 20_000,
  globs: 10_000,
  keywords: 2_000,
})

// Reasons why a rule is left out.
export const NO_TIME = `reading the earlier rules took ${sessionBudget().ms} ms, the limit of a session`

export const NO_ROOM =
  `the globs of the earlier rules expand to ${sessionBudget().globs} patterns, the limit of a session`

/** Returns wall or processor time, whichever is less. */
const elapsedMs = (wallMs: number, cpuBefore: NodeJS.CpuUsage): number => {
  // Other programs add only to the wall time. The host's other threads add only to the processor time.
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

/**
 * The time that all checks of a step may take together. Checks block the host's main thread, so they run in slices:
 * after each, the host may do other work, whose time is not deducted.
 */
export class TimeBudget {
  /** How many earlier violations were not checked again because time ran out. Callers add to it. */
  uncheckedViolations = 0
  readonly #limitMs: number
  /** The time of the earlier slices. */
  #spentMs = 0
  /** The wall time of the work in the current slice. */
  #sliceMs = 0
  #cpuAtSliceStart = process.cpuUsage()

  constructor(limitMs = MAX_MS) {
    this.#limitMs = limitMs
  }

  async #endSlice(): Promise<void> {
    this.#spentMs += elapsedMs(this.#sliceMs, this.#cpuAtSliceStart)
    await setImmediate()
    this.#sliceMs = 0
    this.#cpuAtSliceStart = process.cpuUsage()
  }

  /** Runs work that cannot be interrupted. Returns undefined if no time is left. */
  async run<T>(work: () => T): Promise<T | undefined> {
    let result: T | undefined
    await this.forEach([work], () => result = work())
    return result
  }

  /** Keeps the items that pass the test. `untested` counts the items for which no time was left. */
  async filter<T>(items: Array<T>, test: (item: T) => boolean) {
    const kept: Array<T> = []
    const untested = await this.forEach(items, (item) => {
      if (test(item)) kept.push(item)
    })
    return { kept, untested }
  }

  /** Calls `work` for one item after another while time is left. Returns the number of items left over. */
  async forEach<T>(items: Array<T>, work: (item: T) => unknown): Promise<number> {
    let done = 0
    for (const item of items) {
      if (this.#sliceMs >= SLICE_MS) await this.#endSlice()
      if (this.#spentMs >= this.#limitMs) break
      const start = performance.now()
      work(item)
      this.#sliceMs += performance.now() - start
      done += 1
    }
    return items.length - done
  }
}
