/** Calls `look`, with growing pauses, until `isDone` accepts its result; throws `failure` after `limit` ms. */
export const eventually = async <Result>(
  look: () => Result | Promise<Result>,
  isDone: (result: Result) => boolean,
  failure: string,
  limit = 60_000,
): Promise<Result> => {
  const start = Date.now()
  while (true) {
    const result = await look()
    if (isDone(result)) return result
    const waited = Date.now() - start
    if (waited > limit) {
      const text = typeof result === 'string' ? result : JSON.stringify(result)
      throw new Error(`${failure} after ${limit} ms:\n${text}`)
    }
    await Bun.sleep(Math.max(50, waited / 20))
  }
}
