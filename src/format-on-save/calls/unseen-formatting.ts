/** A formatting: a file before it and after it. */
type Formatted = { path: string; before: string; after: string }

/** A file as the model believes that it is, and as the last call or formatter left it. */
export type UnseenFile = { believed: string; text: string }

/**
 * Remembers, for each session, the files that were formatted since its model was last asked: the text that the model
 * believes in, which is the one before the formatting with its later calls applied. Other calls of the same message
 * were made from that text, and may run when the file is formatted already.
 */
export class UnseenFormatting {
  /** By session and path. */
  readonly #files = new Map<string, Map<string, UnseenFile>>()

  add(sessionID: string, { path, before, after }: Formatted): void {
    const files = this.#files.get(sessionID) ?? new Map<string, UnseenFile>()
    const file = files.get(path)
    // Where somebody else has changed the file, formatting cannot be told from that change.
    const believed = file?.text === before || file?.text === after ? file.believed : before
    files.set(path, { believed, text: after })
    this.#files.set(sessionID, files)
  }

  /**
   * Applies a call to the text that the model believes in.
   *
   * @param from where the file was before the call, which may have moved it to `path`
   * @param simulate applies the call as it was sent; null where that cannot be told
   * @param text the file after the call
   */
  apply(
    sessionID: string,
    { path, from }: { path: string; from: string },
    simulate: (text: string) => string | null,
    text: string,
  ): void {
    const files = this.#files.get(sessionID)
    const file = files?.get(from)
    if (!files || !file) return
    files.delete(from)
    const believed = simulate(file.believed)
    if (believed === null) files.delete(path)
    else files.set(path, { believed, text })
  }

  /** Forgets what a session had not seen: its model is asked again. */
  begin(sessionID: string): void {
    this.#files.set(sessionID, new Map())
  }

  /** Whether a session's model was asked, and the turn is not over. */
  isAtWork(sessionID: string): boolean {
    return this.#files.has(sessionID)
  }

  /** Forgets what a session had not seen: its model is asked no more. */
  forget(sessionID: string): void {
    this.#files.delete(sessionID)
  }

  /** Gives a file that was formatted since a session's model was last asked. */
  fileOf(sessionID: string, path: string): UnseenFile | undefined {
    return this.#files.get(sessionID)?.get(path)
  }
}
