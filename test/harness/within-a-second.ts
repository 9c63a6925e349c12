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
const [SIZE, TIMES] = [400_000, 4]
const TRIES = 3
/** What does no harm for 1.6 MB, though it were quadratic. */
const NEGLIGIBLE_MS = 1_000

/**
 * Expects that work on an input of a size in bytes takes a second of the processor for 1.6 MB, or less than 8 times what
 * it takes for a quarter: linear work takes 4 times as long, quadratic work 16 times, and what else runs (a collection
 * of garbage, say) is less than the rest.
 */
export const expectLinear = async (what: string, work: (bytes: number) => unknown): Promise<void> => {
  await work(WARM_UP)
  const seen: Array<string> = []
  for (let tried = 0; tried < TRIES; tried++) {
    const small = await processorTimeOf(() => work(SIZE))
    const large = await processorTimeOf(() => work(TIMES * SIZE))
    if (large < NEGLIGIBLE_MS || large < 3 * TIMES * small) return
    seen.push(
      `${Math.round(small)} ms for ${SIZE / 1_000} kB and ${Math.round(large)} ms for ${TIMES} times as many`,
    )
  }
  throw new Error(`${what} took ${seen.join(', ')}`)
}

/** Repeats a text up to a size in bytes. */
export const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
