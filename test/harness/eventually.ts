const EVERY_MS = 50

/**
 * Repeats `look` until the result is as expected, and returns it; throws with the last result at the deadline. The
 * pauses grow.
 *
 * @param otherwise describes what is wrong so far
 */
export const eventually = async <Seen>(
  look: () => Seen | Promise<Seen>,
  isDone: (seen: Seen) => boolean,
  otherwise: string,
  limit = 60_000,
): Promise<Seen> => {
  const start = Date.now()
  while (true) {
    const seen = await look()
    if (isDone(seen)) return seen
    const shown = typeof seen === 'string' ? seen : JSON.stringify(seen)
    const waited = Date.now() - start
    if (waited > limit) throw new Error(`${otherwise} after ${limit} ms:\n${shown}`)
    await Bun.sleep(Math.max(EVERY_MS, waited / 20))
  }
}
