/** Measures processor time, which other work on the machine affects less than wall time. */

const processorTimeOf = async (work: () => unknown): Promise<number> => {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const LIMIT_MS = 10_000

export const expectNoHang = async (name: string, work: () => unknown): Promise<void> => {
  const time = await processorTimeOf(work)
  if (time >= LIMIT_MS) throw new Error(`${name} took ${Math.round(time)} ms of the processor`)
}

const FACTOR = 4
const TRIES = 3
// At 20 ms for 100 kB, even quadratic work takes only two seconds for 1 MB.
const NEGLIGIBLE_MS = 20

const timesIfNotLinear = async (work: (bytes: number) => unknown, bytes: number): Promise<string> => {
  // Other load only adds time, so the shortest of several runs counts.
  let [smallMs, largeMs] = [Infinity, Infinity]
  for (let tried = 0; tried < TRIES; tried++) {
    largeMs = Math.min(largeMs, await processorTimeOf(() => work(FACTOR * bytes)))
    if (largeMs < NEGLIGIBLE_MS) return ''
    smallMs = Math.min(smallMs, await processorTimeOf(() => work(bytes)))
    // For 4 times the bytes, linear work takes 4 times as long, and quadratic work takes 16 times as long.
    if (largeMs < LIMIT_MS && largeMs < 2 * FACTOR * smallMs) return ''
  }
  const times = `${Math.round(smallMs)} and ${Math.round(largeMs)} ms`
  return `${times} for ${bytes / 1_000} and ${FACTOR * bytes / 1_000} kB`
}

/** Accepts work that looks linear at one of three sizes, because garbage collection can make work look quadratic. */
export const expectLinear = async (name: string, work: (bytes: number) => unknown): Promise<void> => {
  // Warms up the engine.
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
