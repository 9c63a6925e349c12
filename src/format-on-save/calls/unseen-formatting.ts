/** A file that was formatted after a call. */
type Formatted = { path: string; before: string; after: string }

/** A file as a model takes it to be, and as it was last left by a call or a formatter. */
export type UnseenFile = { believed: string; text: string }

/**
 * What a session's model takes files to be that were formatted since it was last asked: the texts before formatting, with
 * its later calls of the same message in them. Those were made from such a text, and may come when the file is formatted
 * already.
 */
export class UnseenFormatting {
  /** By session and path. */
  readonly #files = new Map<string, Map<string, UnseenFile>>()

  add(sessionID: string, { path, before, after }: Formatted): void {
    const files = this.#files.get(sessionID) ?? new Map<string, UnseenFile>()
    const file = files.get(path)
    // Where somebody else has changed the file, what of the difference is formatting cannot be told.
    const believed = file?.text === before || file?.text === after ? file.believed : before
    files.set(path, { believed, text: after })
    this.#files.set(sessionID, files)
  }

  /**
   * Takes over what a call makes of a file.
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

  /** Forgets a session's formattings: its model is asked again and sees what its calls say now, or is not asked any more. */
  forget(sessionID: string): void {
    this.#files.delete(sessionID)
  }

  /** A file that was formatted since a session's model was last asked. */
  fileOf(sessionID: string, path: string): UnseenFile | undefined {
    return this.#files.get(sessionID)?.get(path)
  }
}
