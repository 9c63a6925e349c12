/** Measures how long work blocks the other work of its process, and how much memory it takes. */

/** Returns the CPU time of this thread in milliseconds. Other processes do not affect it. */
const cpuTime = (): number => {
  // The types lack `threadCpuUsage`, and so does the host's engine. There, the time of the whole process serves: no
  // other thread runs.
  const { threadCpuUsage = process.cpuUsage } = process as Partial<
    Record<'threadCpuUsage', typeof process.cpuUsage>
  >
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

/** The maximum CPU time between two turns of the event loop in ms, and the maximum additional memory in MB. */
export type Hold = { ms: number; megabytes: number }

/** Runs some work and measures its longest hold. */
export const longestHold = async (work: () => Promise<unknown>): Promise<Hold> => {
  const hold: Hold = { ms: 0, megabytes: 0 }
  const memoryBefore = process.memoryUsage.rss()
  let last = cpuTime()
  const sample = () => {
    hold.ms = Math.max(hold.ms, cpuTime() - last)
    hold.megabytes = Math.max(hold.megabytes, (process.memoryUsage.rss() - memoryBefore) / 1e6)
    // The next measurement starts here, so that the time of this sample does not count.
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
