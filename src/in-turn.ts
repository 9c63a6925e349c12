const queues = new Map<string, Promise<unknown>>()

/** Runs `work` after all earlier work under the same key has settled; gives what it gives, or throws what it throws. */
export const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const mine = (queues.get(key) ?? Promise.resolve()).then(work, work)
  const settled = mine.catch(() => {})
  queues.set(key, settled)
  try {
    return await mine
  } finally {
    if (queues.get(key) === settled) queues.delete(key)
  }
}
