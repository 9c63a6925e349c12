/** Expects work to be fast, or to take linear time, with limits so wide that a slow or busy machine fails no test. */

/** Returns the processor time of some work in ms: other work on the machine affects it less than wall time. */
const processorTimeOf = async (work: () => unknown): Promise<number> => {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const LIMIT_MS = 10_000

/** Expects work that should take a second to take less than ten of processor time. Hanging work takes minutes. */
export const expectNoHang = async (name: string, work: () => unknown): Promise<void> => {
  const time = await processorTimeOf(work)
  if (time >= LIMIT_MS) throw new Error(`${name} took ${Math.round(time)} ms of the processor`)
}

const WARM_UP_BYTES = 10_000
// It is enough if the time is linear at one of these sizes: at another, garbage collection or a change of method may
// make linear work look quadratic.
const SIZES = [25_000, 100_000, 400_000]
/** The larger of two inputs has this many times the bytes of the smaller one. */
const FACTOR = 4
const TRIES = 3
/** A shorter time is harmless: even if it grows with the square of the size, 1 MB takes at most two seconds. */
const NEGLIGIBLE_MS = 20

/**
 * Expects work to take linear time. For 4 times the bytes, linear work takes 4 times as long, quadratic work 16 times:
 * at one of the sizes, it must take less than 8 times as long and less than ten seconds, or else less than 20 ms.
 */
export const expectLinear = async (name: string, work: (bytes: number) => unknown): Promise<void> => {
  await work(WARM_UP_BYTES)
  const measured: Array<string> = []
  for (const size of SIZES) {
    // Other load only adds time, so the minimum of several runs is the time of the work itself.
    let small = Infinity
    let large = Infinity
    for (let tried = 0; tried < TRIES; tried++) {
      large = Math.min(large, await processorTimeOf(() => work(FACTOR * size)))
      if (large < NEGLIGIBLE_MS) return
      small = Math.min(small, await processorTimeOf(() => work(size)))
      if (large < Math.min(LIMIT_MS, 2 * FACTOR * small)) return
    }
    const times = [small, large].map((time) => `${Math.round(time)} ms`)
    measured.push(`${times.join(' and ')} for ${size / 1_000} and ${FACTOR * size / 1_000} kB`)
  }
  throw new Error(`${name} took ${measured.join(', ')}`)
}

export const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
