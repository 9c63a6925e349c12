/** What discover-rules showed to a session, and why the session may not change a file by it. */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** What a session was shown of a file as it is now: all, its beginning, only an earlier text of it, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** A text that was shown, or its beginning where it was cut off; without a fingerprint, whatever the file says. */
type Shown = { fingerprint?: string; isCut: boolean }

/** What one session was shown of files, by their real paths; a child session may use its parent's record. */
export class ShownFiles {
  readonly #own = new Map<string, Shown>()
  readonly #named: Set<string> | undefined
  parent: ShownFiles | undefined

  /** @param named paths that count as shown, whatever the files say; what is shown is added */
  constructor(named?: Set<string>) {
    this.#named = named
    for (const path of named ?? []) this.#own.set(path, { isCut: false })
  }

  /** Lists the paths, in the order in which they were first shown. */
  paths(): Array<string> {
    return [...new Set([...this.#own.keys(), ...this.parent?.paths() ?? []])]
  }

  /** Gives what the session was shown of the file at a path, whose text has this fingerprint now. */
  knows(path: string, realPath: string, fingerprint: string): Knowledge {
    const named = this.#own.get(path)
    const shown = this.#shown(realPath) ?? (named?.fingerprint === undefined ? named : undefined)
    if (shown === undefined) return 'unknown'
    if (shown.fingerprint !== undefined && shown.fingerprint !== fingerprint) return 'changed'
    return shown.isCut ? 'part' : 'whole'
  }

  /** Notes that a text was shown, or was written by the session itself; `isCut` where only its beginning was shown. */
  remember(realPath: string, fingerprint: string, isCut = false): void {
    this.#named?.add(realPath)
    this.#own.set(realPath, this.#named === undefined ? { fingerprint, isCut } : { isCut: false })
  }

  /** Copies the record, for a call that must not use what is shown after it was made. */
  copy(): ShownFiles {
    const copy = new ShownFiles()
    for (const path of this.paths()) copy.#own.set(path, this.#shown(path)!)
    return copy
  }

  // Where a session and its parent were shown different texts of a file, the session's own counts.
  #shown(realPath: string): Shown | undefined {
    const parent = this.parent
    return this.#own.get(realPath) ?? (parent === undefined ? undefined : parent.#shown(realPath))
  }
}

/**
 * How a file is changed. To rewrite its text, all of it must have been shown; to restore a backup, it must be unchanged
 * since it was shown, or gone; for an addition, it must have been shown once.
 */
export type ChangeKind = 'rewrite' | 'addition' | 'restore'

/** What to do about a file that is not as it was shown. */
export const DISCOVER_AGAIN = 'Call discover-rules again to see what it says now, then call this tool again.'

/** Why a file that was never shown is not changed. */
export const NOT_SHOWN =
  'discover-rules has not shown it. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.'

/** Why a file of which only the beginning was shown is not rewritten. */
export const ONLY_PART =
  'discover-rules has shown only its beginning, for it is too long for one answer ("tool_output" in opencode.json says how long one may be). add-rules may add to it as it is.'

/** When a file is checked: before the questions, and after them. */
export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

/** Why a session may not change a file by what it was shown of it, or null. `bytes` are what the file has now. */
export const whyUnknown = (
  { discovered, known }: { discovered: ShownFiles; known: ShownFiles },
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  moment: Moment,
): string | null => {
  const fingerprint = fingerprintOf(bytes)
  const now = discovered.knows(path, realPath, fingerprint)
  if (now === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (now === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  const then = known.knows(path, realPath, fingerprint)
  if (then === 'changed') return `another call wrote it after this one was made. ${DISCOVER_AGAIN}`
  if (kind === 'rewrite' && then === 'part') return ONLY_PART
  return then === 'unknown' ? NOT_SHOWN : null
}
