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
// Larger ones are for what a collection of garbage, or a reader that falls back to another way, makes look quadratic.
const SIZES = [25_000, 100_000, 400_000]
const TIMES = 4
const TRIES = 3
/** What does no harm, though it were quadratic: a few seconds for 1 MB. */
const NEGLIGIBLE_MS = 20

/**
 * Expects that work on an input of a size in bytes takes less than 8 times as long for 4 times the size, or next to
 * nothing: linear work takes 4 times as long, quadratic work 16 times; and in no case what counts as hanging.
 */
export const expectLinear = async (what: string, work: (bytes: number) => unknown): Promise<void> => {
  await work(WARM_UP)
  const seen: Array<string> = []
  for (const size of SIZES) {
    // What else runs only ever adds to a time: the least of several is the work's own.
    let [small, large] = [Infinity, Infinity]
    for (let tried = 0; tried < TRIES; tried++) {
      large = Math.min(large, await processorTimeOf(() => work(TIMES * size)))
      if (large < NEGLIGIBLE_MS) return
      small = Math.min(small, await processorTimeOf(() => work(size)))
      if (large < Math.min(LIMIT_MS, 2 * TIMES * small)) return
    }
    seen.push(
      `${Math.round(small)} ms for ${size / 1_000} kB and ${Math.round(large)} ms for ${TIMES} times as many`,
    )
  }
  throw new Error(`${what} took ${seen.join(', ')}`)
}

/** Repeats a text up to a size in bytes. */
export const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
