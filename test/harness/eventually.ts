const EVERY_MS = 50

/**
 * Looks again and again until what is seen is as it should be, and gives that; throws with what is seen instead. The longer
 * it has waited, the longer it waits for the next look.
 *
 * @param otherwise what is wrong while it is not
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
