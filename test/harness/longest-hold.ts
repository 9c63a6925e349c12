/** Measures how long some work holds its process, so that nothing else can run in it, and how much memory it takes. */

// The types do not declare `threadCpuUsage`, and the host's engine does not have it. There, the time of the whole
// process is measured instead, because no other thread runs.
const { threadCpuUsage = process.cpuUsage } = process as { threadCpuUsage?: typeof process.cpuUsage }

/** Returns the CPU time of this thread in milliseconds. Other processes do not affect it. */
const cpuTime = (): number => {
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

/** The maximum CPU time between two turns of the event loop in ms, and the maximum additional memory in MB. */
export type Hold = { ms: number; megabytes: number }

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
  const sampleEachTurn = () => {
    sample()
    timer = setImmediate(sampleEachTurn)
  }
  let timer = setImmediate(sampleEachTurn)
  await work()
  sample()
  clearImmediate(timer)
  return hold
}
