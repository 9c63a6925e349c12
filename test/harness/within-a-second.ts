/** Limits of time that a slow or busy machine cannot break, and work that is quadratic or hangs does. */

// The processor's time and not the clock's: how busy the machine is with other work says little of this one.
const processorTimeOf = async (work: () => unknown): Promise<number> => {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const LIMIT_MS = 10_000

/** Expects that work takes a second of the processor, or ten on a slow machine: what hangs takes minutes. */
export const expectWithinASecond = async (what: string, work: () => unknown): Promise<void> => {
  const time = await processorTimeOf(work)
  if (time >= LIMIT_MS) throw new Error(`${what} took ${Math.round(time)} ms of the processor`)
}

const WARM_UP = 10_000
const SIZES = [100_000, 200_000, 400_000]
const TRIES = 3
/** What quadratic work takes for 100 kB that takes a second for 1 MB. */
const NEGLIGIBLE_MS = 10

/**
 * Expects that work on an input of a size in bytes takes less than three times as long for twice the size, or next to
 * nothing: quadratic work takes four times as long, whatever the size.
 */
export const expectLinear = async (what: string, work: (bytes: number) => unknown): Promise<void> => {
  await work(WARM_UP)
  const seen: Array<string> = []
  for (const size of SIZES) {
    // What else runs, and a collection of garbage, only ever add to a time: the least of several is the work's own.
    let [half, whole] = [Infinity, Infinity]
    for (let tried = 0; tried < TRIES; tried++) {
      half = Math.min(half, await processorTimeOf(() => work(size)))
      if (half < NEGLIGIBLE_MS) return
      whole = Math.min(whole, await processorTimeOf(() => work(2 * size)))
      if (whole < 3 * half) return
    }
    seen.push(`${Math.round(half)} ms for ${size / 1_000} kB and ${Math.round(whole)} ms for twice as many`)
  }
  throw new Error(`${what} took ${seen.join(', ')}`)
}

/** Repeats a text up to a size in bytes. */
export const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
