const EVERY_MS = 50

/**
 * Calls `look`, with growing pauses, until `isDone` accepts its result, and returns that result. At the deadline, throws
 * an error with the last result.
 *
 * @param failure what the error says before the result
 */
export const eventually = async <Found>(
  look: () => Found | Promise<Found>,
  isDone: (found: Found) => boolean,
  failure: string,
  limit = 60_000,
): Promise<Found> => {
  const start = Date.now()
  while (true) {
    const found = await look()
    if (isDone(found)) return found
    const shown = typeof found === 'string' ? found : JSON.stringify(found)
    const waited = Date.now() - start
    if (waited > limit) throw new Error(`${failure} after ${limit} ms:\n${shown}`)
    await Bun.sleep(Math.max(EVERY_MS, waited / 20))
  }
}
