import { realign } from '../realign/realign.ts'
import { occurrences, withLineEnds } from './edits.ts'

/** A file that was formatted after a call. */
type Formatted = { path: string; before: string; after: string }

/** A file as a model takes it to be, and as it was last left by a call or a formatter. */
type File = { believed: string; text: string }

/**
 * What a session's model takes files to be that were formatted since it was last asked: the texts before formatting, with
 * its later calls of the same message in them. Those were made from such a text, and may come when the file is formatted
 * already.
 */
export class UnseenFormatting {
  /** By session and path. */
  readonly #files = new Map<string, Map<string, File>>()

  add(sessionID: string, { path, before, after }: Formatted): void {
    const files = this.#files.get(sessionID) ?? new Map<string, File>()
    const file = files.get(path)
    // Where somebody else has changed the file, what of the difference is formatting cannot be told.
    const believed = file?.text === before || file?.text === after ? file.believed : before
    files.set(path, { believed, text: after })
    this.#files.set(sessionID, files)
  }

  /**
   * Takes over what a call makes of a file.
   *
   * @param simulate applies the call as it was sent; null where that cannot be told
   * @param text the file after the call
   */
  apply(sessionID: string, path: string, simulate: (text: string) => string | null, text: string): void {
    const files = this.#files.get(sessionID)
    const file = files?.get(path)
    if (!files || !file) return
    const believed = simulate(file.believed)
    if (believed === null) files.delete(path)
    else files.set(path, { believed, text })
  }

  /** Forgets a session's formattings: its model is asked again and sees what its calls say now, or is not asked any more. */
  forget(sessionID: string): void {
    this.#files.delete(sessionID)
  }

  /**
   * What an `oldString` has become that stands once in the text that the model believes in, as it now stands once in the
   * file's text; null where it needs no change or its counterpart cannot be told.
   */
  carry(sessionID: string, path: string, oldString: string, text: string): string | null {
    const wanted = withLineEnds(oldString, text)
    const file = this.#files.get(sessionID)?.get(path)
    if (wanted === '' || !file || text.includes(wanted)) return null
    const [start, ...others] = occurrences(file.believed, wanted)
    if (start === undefined || others.length > 0) return null
    const found = realign(file.believed, file.text)({ start, end: start + wanted.length })
    const now = found && file.text.slice(found.start, found.end)
    return now !== null && occurrences(text, now).length === 1 ? now : null
  }
}
