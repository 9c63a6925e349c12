/** A call that writes files, from its start until they are formatted. */
type AtWork = {
  sessionID: string
  paths: Array<string>
  mayChangeAll: boolean
  over: Promise<void>
  end: () => void
}

/** Knows which calls are at work on which files, their formatting included. */
export class CallsAtWork {
  /** By call. */
  readonly #calls = new Map<string, AtWork>()

  /**
   * Notes that a call begins.
   *
   * @param mayChangeAll whether the formatting may change other files as well
   */
  begin(key: string, sessionID: string, paths: Array<string>, mayChangeAll: boolean): void {
    let end = () => {}
    const over = new Promise<void>((resolve) => (end = resolve))
    this.#calls.set(key, { sessionID, paths, mayChangeAll, over, end })
  }

  /** Notes that a call and its formatting are over, or that it failed. */
  end(key: string): void {
    this.#calls.get(key)?.end()
    this.#calls.delete(key)
  }

  /** Notes that all calls of a session are over. */
  endSession(sessionID: string): void {
    for (const [key, call] of this.#calls) if (call.sessionID === sessionID) this.end(key)
  }

  /** Whether a call of a session is at work on a file. */
  isAtWork(sessionID: string, path: string): boolean {
    return this.#of(sessionID).some(({ paths }) => paths.includes(path))
  }

  /** Resolves once a session's calls that are at work now have left a file as it stays; after the limit at the latest. */
  async whenLeft(sessionID: string, path: string, limit: number): Promise<void> {
    const calls = this.#of(sessionID).filter(({ paths, mayChangeAll }) =>
      mayChangeAll || paths.includes(path)
    )
    if (calls.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limit)))
    await Promise.race([Promise.all(calls.map(({ over }) => over)), late])
    clearTimeout(timer)
  }

  #of(sessionID: string): Array<AtWork> {
    return [...this.#calls.values()].filter((call) => call.sessionID === sessionID)
  }
}
