/** Limits of time that a slow or busy machine cannot break, and work that is quadratic in what it reads does. */

const LIMIT_MS = 1_000
const TRIES = 4

/** What `reference` takes on the machine whose second is meant. */
const REFERENCE_MS = 30

/** Work of a known size, of the kinds that readers of text do. */
const reference = (): void => {
  for (let round = 0; round < 4; round++) {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: `word ${index}` })))
    JSON.parse(text)
    text.replace(/\d+/g, '#')
    text.split(',').map((part) => part.trim()).join('\n')
  }
}

// The processor's time and not the clock's: how busy the machine is with other work says little of this one.
const processorTimeOf = async (work: () => unknown): Promise<number> => {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/** How many times as long as on the machine whose second is meant work takes on this one, at least 1. */
const slowness = async (): Promise<number> => Math.max(1, await processorTimeOf(reference) / REFERENCE_MS)

/**
 * Runs `work`, and expects it to take less than a second of the processor.
 *
 * Where it takes more, it is measured again next to a reference: a machine that does that at half the speed has two
 * seconds. Work that takes ten times too long is not tried again.
 */
export const expectWithinASecond = async (what: string, work: () => unknown): Promise<void> => {
  let time = await processorTimeOf(work)
  for (let tried = 1; tried < TRIES && time >= LIMIT_MS && time < 10 * LIMIT_MS; tried++) {
    const before = await slowness()
    const again = await processorTimeOf(work)
    time = Math.min(time, again / Math.max(before, await slowness()))
  }
  if (time >= LIMIT_MS) {
    throw new Error(`${what} took ${Math.round(time)} ms of the processor, more than a second`)
  }
}

const HALF = 100_000
const WHOLE = 2 * HALF
const WARM_UP = 10_000
// Work that is quadratic takes as long for 1 MB as the square of the sizes says: less than this is less than a second.
const negligibleMs = (bytes: number): number => LIMIT_MS * (bytes / 1_000_000) ** 2
const WHOLE_LIMIT_MS = LIMIT_MS * WHOLE / 1_000_000

/**
 * Runs `work` on an input of a size in bytes, and expects that it reads 1 MB in less than a second: 100 or 200 kB take
 * next to nothing, or 200 kB less than a fifth of a second and less than three times as long as 100 kB, or 400 kB less
 * than three times as long as 200 kB: quadratic work takes four times as long with each doubling, and a collection of
 * garbage falls into one of them.
 */
export const expectLinear = async (what: string, work: (bytes: number) => unknown): Promise<void> => {
  await work(WARM_UP)
  // What else runs only ever adds to a time, so the least of several is the work's own.
  let [half, whole, slow] = [Infinity, Infinity, 1]
  for (let tried = 0; tried < 2 * TRIES && (tried === 0 || whole < 10 * WHOLE_LIMIT_MS); tried++) {
    if (tried > 0) slow = await slowness()
    half = Math.min(half, await processorTimeOf(() => work(HALF)))
    if (half < negligibleMs(HALF) * slow) return
    whole = Math.min(whole, await processorTimeOf(() => work(WHOLE)))
    if (whole < negligibleMs(WHOLE) * slow || (whole < WHOLE_LIMIT_MS * slow && whole < 3 * half)) return
  }
  if (whole < WHOLE_LIMIT_MS * slow && await processorTimeOf(() => work(2 * WHOLE)) < 3 * whole) return
  const [ms, halfMs] = [Math.round(whole), Math.round(half)]
  throw new Error(`${what} took ${ms} ms of the processor for 200 kB, ${halfMs} for 100 kB`)
}

/** Repeats a text up to a size in bytes. */
export const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
