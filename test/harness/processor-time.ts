/** Expects work to be fast, or to take linear time. The limits are wide enough for a slow or busy machine. */

// Other work on the machine affects processor time less than wall time.
const processorTimeOf = async (work: () => unknown): Promise<number> => {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const LIMIT_MS = 10_000

/** Expects work to take less than ten seconds of processor time. Hanging work takes minutes. */
export const expectNoHang = async (name: string, work: () => unknown): Promise<void> => {
  const time = await processorTimeOf(work)
  if (time >= LIMIT_MS) throw new Error(`${name} took ${Math.round(time)} ms of the processor`)
}

const FACTOR = 4
const TRIES = 3
// Work that takes 20 ms for 100 kB is fast enough: even if it is quadratic, 1 MB takes two seconds.
const NEGLIGIBLE_MS = 20

/** Compares the times for `bytes` and for 4 times as many. Returns '' if the work is linear, otherwise both times. */
const timesIfNotLinear = async (work: (bytes: number) => unknown, bytes: number): Promise<string> => {
  // Other load only adds time, so the minimum of several runs is the time of the work itself.
  let [smallMs, largeMs] = [Infinity, Infinity]
  for (let tried = 0; tried < TRIES; tried++) {
    largeMs = Math.min(largeMs, await processorTimeOf(() => work(FACTOR * bytes)))
    if (largeMs < NEGLIGIBLE_MS) return ''
    smallMs = Math.min(smallMs, await processorTimeOf(() => work(bytes)))
    // Linear work takes 4 times as long, quadratic work 16 times.
    if (largeMs < LIMIT_MS && largeMs < 2 * FACTOR * smallMs) return ''
  }
  const times = `${Math.round(smallMs)} and ${Math.round(largeMs)} ms`
  return `${times} for ${bytes / 1_000} and ${FACTOR * bytes / 1_000} kB`
}

/** Expects work to be linear for at least one of three sizes, because garbage collection may make it look quadratic. */
export const expectLinear = async (name: string, work: (bytes: number) => unknown): Promise<void> => {
  // The first run only warms up the engine.
  await work(10_000)
  const measured: Array<string> = []
  for (const size of [25_000, 100_000, 400_000]) {
    const times = await timesIfNotLinear(work, size)
    if (times === '') return
    measured.push(times)
  }
  throw new Error(`${name} took ${measured.join(', ')}`)
}

export const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
