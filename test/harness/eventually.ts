const EVERY_MS = 50

/**
 * Repeats `look` until its result is as expected, and returns the result; throws with the last one at the deadline. The
 * pauses grow.
 *
 * @param failure describes what is wrong so far
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
