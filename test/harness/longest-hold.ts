// The host's Bun lacks `threadCpuUsage`. There, `cpuUsage` counts all threads, but only this thread is busy.
const { threadCpuUsage = process.cpuUsage } = process as { threadCpuUsage?: typeof process.cpuUsage }

const cpuTime = (): number => {
  const { user, system } = threadCpuUsage.call(process)
  return (user + system) / 1_000
}

/** Returns the longest CPU time for which `work` blocks the event loop, and the peak growth of memory. */
export const longestHold = async (work: () => Promise<unknown>) => {
  const hold = { ms: 0, megabytes: 0 }
  const memoryBefore = process.memoryUsage.rss()
  let isDone = false
  let lastTurn = cpuTime()
  const sample = () => {
    hold.ms = Math.max(hold.ms, cpuTime() - lastTurn)
    hold.megabytes = Math.max(hold.megabytes, (process.memoryUsage.rss() - memoryBefore) / 1e6)
    // The time for taking this sample does not count.
    lastTurn = cpuTime()
  }
  const sampleEachTurn = () => {
    if (isDone) return
    sample()
    setImmediate(sampleEachTurn)
  }
  setImmediate(sampleEachTurn)
  await work()
  sample()
  isDone = true
  return hold
}
