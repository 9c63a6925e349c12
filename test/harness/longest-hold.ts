// The host's engine lacks `threadCpuUsage`: there, the process is measured, because no other thread runs.
const { threadCpuUsage = process.cpuUsage } = process as { threadCpuUsage?: typeof process.cpuUsage }

const cpuTime = (): number => {
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

export type Hold = { ms: number; megabytes: number }

/** Measures how long `work` holds the event loop at most, in CPU time, and how much additional memory it takes. */
export const longestHold = async (work: () => Promise<unknown>): Promise<Hold> => {
  const hold: Hold = { ms: 0, megabytes: 0 }
  const memoryBefore = process.memoryUsage.rss()
  let last = cpuTime()
  const sample = () => {
    hold.ms = Math.max(hold.ms, cpuTime() - last)
    hold.megabytes = Math.max(hold.megabytes, (process.memoryUsage.rss() - memoryBefore) / 1e6)
    // The next hold begins here, so that the time of this sample does not count.
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
