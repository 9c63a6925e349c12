import { occurrences, withLineEnds } from './edits.ts'
import { realign } from './realign.ts'

/** A file that was formatted after a call. */
type Formatted = { path: string; before: string; after: string }

/**
 * What was formatted since a session's model was last asked. Its later calls of the same message were made from the
 * texts before formatting, and may come when the file is formatted already.
 */
export class Unseen {
  readonly #formatted = new Map<string, Array<Formatted>>()

  add(sessionID: string, formatted: Formatted): void {
    this.#formatted.set(sessionID, [...(this.#formatted.get(sessionID) ?? []), formatted])
  }

  /** The session's model is asked again, and sees what its calls say now; or nobody will ask it. */
  forget(sessionID: string): void {
    this.#formatted.delete(sessionID)
  }

  /**
   * What an `oldString` has become that stood once in a file before formatting, as it now stands once in the file's
   * text; null where it needs no change or its counterpart cannot be told.
   */
  carry(sessionID: string, path: string, oldString: string, text: string): string | null {
    let wanted = withLineEnds(oldString, text)
    if (wanted === '' || text.includes(wanted)) return null
    for (
      const { before, after } of this.#formatted.get(sessionID)?.filter((one) => one.path === path) ?? []
    ) {
      const [start, ...others] = occurrences(before, wanted)
      if (start === undefined) continue
      const found = others.length === 0 ? realign(before, after)({ start, end: start + wanted.length }) : null
      if (!found) return null
      wanted = after.slice(found.start, found.end)
    }
    return occurrences(text, wanted).length === 1 ? wanted : null
  }
}
