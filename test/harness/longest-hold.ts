/** Measures how long work blocks the other work of its process, and how much memory it takes. */

/** Returns the CPU time of this thread in milliseconds, which other load does not affect. */
const cpuTime = (): number => {
  // `threadCpuUsage` is not in the types, and not in the host's engine, which has no other threads here.
  const { threadCpuUsage = process.cpuUsage } = process as Partial<
    Record<'threadCpuUsage', typeof process.cpuUsage>
  >
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

/** The longest time between two turns of the event loop in milliseconds, and the peak of additional memory in MB. */
export type Hold = { ms: number; megabytes: number }

/** Measures the longest hold of some work. */
export const longestHold = async (work: () => Promise<unknown>): Promise<Hold> => {
  const hold: Hold = { ms: 0, megabytes: 0 }
  const memory = process.memoryUsage.rss()
  let last = cpuTime()
  const sample = () => {
    hold.ms = Math.max(hold.ms, cpuTime() - last)
    hold.megabytes = Math.max(hold.megabytes, (process.memoryUsage.rss() - memory) / 1e6)
    // Start after this sample, so that its own time does not count.
    last = cpuTime()
  }
  let timer = setImmediate(function turn() {
    sample()
    timer = setImmediate(turn)
  })
  last = cpuTime()
  await work()
  sample()
  clearImmediate(timer)
  return hold
}
