/** A limit of time that a slow or busy machine cannot break, and work that is quadratic in 1 MB does. */

const LIMIT_MS = 1_000
const TRIES = 3

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

/**
 * Runs `work`, and expects it to take less than a second of the processor.
 *
 * Where it takes more, it is measured again beside a reference: a machine that does that at half the speed has two
 * seconds. Work that takes ten times too long is not tried again.
 */
export const expectWithinASecond = async (what: string, work: () => unknown): Promise<void> => {
  let time = await processorTimeOf(work)
  for (let tried = 1; tried < TRIES && time >= LIMIT_MS && time < 10 * LIMIT_MS; tried++) {
    const before = await processorTimeOf(reference)
    const again = await processorTimeOf(work)
    const slowness = Math.max(1, before / REFERENCE_MS, await processorTimeOf(reference) / REFERENCE_MS)
    time = Math.min(time, again / slowness)
  }
  if (time >= LIMIT_MS) {
    throw new Error(`${what} took ${Math.round(time)} ms of the processor, more than a second`)
  }
}
