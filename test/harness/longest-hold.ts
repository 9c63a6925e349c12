/** How long a piece of work keeps all others of its process from running, and how much memory it takes. */

/** The CPU time of this thread in milliseconds, whatever else the machine does. */
const cpuTime = (): number => {
  // Not yet in the types, and not in the host's own engine, which has no work on other threads here.
  const { threadCpuUsage = process.cpuUsage } = process as Partial<
    Record<'threadCpuUsage', typeof process.cpuUsage>
  >
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

/** The longest time between two turns of the event loop, in milliseconds; and the most memory beyond what was there, in MB. */
export type Hold = { ms: number; megabytes: number }

/** Measures the longest hold of a piece of work. */
export const longestHold = async (work: () => Promise<unknown>): Promise<Hold> => {
  const hold: Hold = { ms: 0, megabytes: 0 }
  const memory = process.memoryUsage.rss()
  let last = cpuTime()
  const look = () => {
    hold.ms = Math.max(hold.ms, cpuTime() - last)
    hold.megabytes = Math.max(hold.megabytes, (process.memoryUsage.rss() - memory) / 1e6)
    // What this look took is not the work's.
    last = cpuTime()
  }
  let timer = setImmediate(function turn() {
    look()
    timer = setImmediate(turn)
  })
  last = cpuTime()
  await work()
  look()
  clearImmediate(timer)
  return hold
}
