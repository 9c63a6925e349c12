/** Collects the files of each session that are formatted at the end of its turn. */
export class TurnFiles {
  readonly #paths = new Map<string, Set<string>>()

  add(sessionID: string, paths: Array<string>): void {
    if (paths.length > 0) this.#paths.set(sessionID, new Set([...this.#paths.get(sessionID) ?? [], ...paths]))
  }

  has(sessionID: string): boolean {
    return this.#paths.has(sessionID)
  }

  /** Gives a session's files and forgets them. */
  take(sessionID: string): Array<string> {
    const paths = [...this.#paths.get(sessionID) ?? []]
    this.#paths.delete(sessionID)
    return paths
  }
}
