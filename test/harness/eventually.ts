/**
 * Looks again and again until what is seen is as it should be, and gives that; throws with what is seen instead.
 *
 * @param otherwise what is wrong while it is not
 */
export const eventually = async <Seen>(
  look: () => Seen | Promise<Seen>,
  isDone: (seen: Seen) => boolean,
  otherwise: string,
  limit = 60_000,
): Promise<Seen> => {
  for (const end = Date.now() + limit;; await Bun.sleep(50)) {
    const seen = await look()
    if (isDone(seen)) return seen
    const shown = typeof seen === 'string' ? seen : JSON.stringify(seen)
    if (Date.now() > end) throw new Error(`${otherwise} after ${limit} ms:\n${shown}`)
  }
}
