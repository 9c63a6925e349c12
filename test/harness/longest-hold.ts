// The host's engine does not have `threadCpuUsage`. There, no other thread runs.
const { threadCpuUsage = process.cpuUsage } = process as { threadCpuUsage?: typeof process.cpuUsage }

const cpuTime = (): number => {
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

export type Hold = { ms: number; megabytes: number }

/** Measures the longest CPU time between two turns of the event loop, and the additional memory that work takes. */
export const longestHold = async (work: () => Promise<unknown>): Promise<Hold> => {
  const hold: Hold = { ms: 0, megabytes: 0 }
  const memoryBefore = process.memoryUsage.rss()
  let last = cpuTime()
  const sample = () => {
    hold.ms = Math.max(hold.ms, cpuTime() - last)
    hold.megabytes = Math.max(hold.megabytes, (process.memoryUsage.rss() - memoryBefore) / 1e6)
    // The time of this sample does not count.
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
