/** What compiling the rules of a session may still take, so that a cloned repository costs nothing. */
export type Budget = { ms: number; patterns: number; instructions: number; globs: number }

/** Makes the budget for all rules of a session. The rules of a usual project take a hundredth of it. */
export const sessionBudget = (): Budget => ({ ms: 300, patterns: 200, instructions: 20_000, globs: 10_000 })

/** Why a rule is not compiled that comes after the time is used up. */
export const NO_TIME =
  `reading the rules before it took ${sessionBudget().ms} ms, which is all that a session gives`

/** Why a rule is not compiled whose globs have no room. */
export const NO_ROOM =
  `the globs of the rules before it stand for the ${sessionBudget().globs} patterns that a session takes`

/**
 * Runs work, and takes its time off a budget: the less of what the clock and the processor say, since other programs may
 * have held up the first, and other threads add to the second. What waits for a disk is not run here.
 */
export const spend = <T>(budget: Pick<Budget, 'ms'>, work: () => T): T => {
  const [start, before] = [performance.now(), process.cpuUsage()]
  try {
    return work()
  } finally {
    const { user, system } = process.cpuUsage(before)
    budget.ms -= Math.min(performance.now() - start, (user + system) / 1_000)
  }
}
