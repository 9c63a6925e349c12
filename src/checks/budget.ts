/** Limits what the rules of a project may cost: `Budget` when they are read, `TimeBudget` when they check a step. */
import { setImmediate } from 'node:timers/promises'

/** What reading the rules may still cost: those of a cloned repository must not slow a session down. */
export type Budget = {
  ms: number
  patterns: number
  /** How many instructions these patterns may have when they are compiled, by estimate. */
  instructions: number
  /** To how many patterns globs may expand: `{a,b}` expands to two. */
  globs: number
}

/** Creates the budget for all rules of a session. A usual project spends a hundredth of it. */
export const sessionBudget = (): Budget => ({ ms: 300, patterns: 200, instructions: 20_000, globs: 10_000 })

// Reasons why a rule is left out.
export const NO_TIME = `reading the rules before it took ${sessionBudget().ms} ms, the limit of a session`

export const NO_ROOM =
  `the globs of the rules before it expand to ${sessionBudget().globs} patterns, the limit of a session`

/** Returns the smaller of wall and processor time: other programs prolong the one, the host's threads the other. */
const elapsedMs = (wallMs: number, cpuBefore: NodeJS.CpuUsage): number => {
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
// Checks block the host's main thread: after each slice, the host may do other work.
const SLICE_MS = 20

/** The time that all checks of a step may take together. The host's work between two slices is not deducted. */
export class TimeBudget {
  /** How many earlier violations were not checked again because time ran out. Callers add to it. */
  uncheckedViolations = 0
  readonly #limitMs: number
  #spentMs = 0
  /** The wall time of the work in the current slice. `forEach` adds its own when it or the slice ends. */
  #sliceMs = 0
  #cpuAtStart = process.cpuUsage()

  constructor(limitMs = MAX_MS) {
    this.#limitMs = limitMs
  }

  async #endSlice(): Promise<void> {
    this.#spentMs += elapsedMs(this.#sliceMs, this.#cpuAtStart)
    await setImmediate()
    this.#sliceMs = 0
    this.#cpuAtStart = process.cpuUsage()
  }

  /** Runs work that cannot be interrupted. Returns undefined if no time is left. */
  async run<T>(work: () => T): Promise<T | undefined> {
    let result: T | undefined
    await this.forEach([work], () => result = work())
    return result
  }

  async filter<T>(
    items: Array<T>,
    test: (item: T) => boolean,
  ): Promise<{ kept: Array<T>; untested: number }> {
    const kept: Array<T> = []
    const untested = await this.forEach(items, (item) => {
      if (test(item)) kept.push(item)
    })
    return { kept, untested }
  }

  /** Calls `work` for one item after another while time is left. Returns the number of items left over. */
  async forEach<T>(items: Array<T>, work: (item: T) => unknown): Promise<number> {
    let start = performance.now()
    let done = 0
    for (const item of items) {
      const msSinceStart = performance.now() - start
      if (this.#sliceMs + msSinceStart >= SLICE_MS) {
        this.#sliceMs += msSinceStart
        await this.#endSlice()
        start = performance.now()
      }
      if (this.#spentMs >= this.#limitMs) break
      work(item)
      done += 1
    }
    this.#sliceMs += performance.now() - start
    return items.length - done
  }
}
