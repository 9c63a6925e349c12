/** Records what discover-rules showed to a session, and says why the session may not change a file. */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** How much of a file's present text a session was shown: all, the beginning, only an earlier text, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** A text that was shown; `isCut` if only its beginning was. Without a fingerprint, any text of the file counts as shown. */
type Shown = { fingerprint?: string; isCut: boolean }

/** The files that one session was shown, by real path. A child session may use its parent's record. */
export class ShownFiles {
  readonly #own = new Map<string, Shown>()
  readonly #named: Set<string> | undefined
  parent: ShownFiles | undefined

  /** @param named paths that count as shown, whatever the files contain; files shown later are added to it */
  constructor(named?: Set<string>) {
    this.#named = named
    for (const path of named ?? []) this.#own.set(path, { isCut: false })
  }

  /** Lists the paths in the order in which they were first shown. */
  paths(): Array<string> {
    return [...new Set([...this.#own.keys(), ...this.parent?.paths() ?? []])]
  }

  /** Returns how much of a file the session was shown, given the fingerprint of its present text. */
  knowledgeOf(path: string, realPath: string, fingerprint: string): Knowledge {
    const named = this.#own.get(path)
    const shown = this.#shown(realPath) ?? (named?.fingerprint === undefined ? named : undefined)
    if (shown === undefined) return 'unknown'
    if (shown.fingerprint !== undefined && shown.fingerprint !== fingerprint) return 'changed'
    return shown.isCut ? 'part' : 'whole'
  }

  /** Records a text that was shown, or that the session wrote. `isCut` if only its beginning was shown. */
  record(realPath: string, fingerprint: string, isCut = false): void {
    this.#named?.add(realPath)
    this.#own.set(realPath, this.#named === undefined ? { fingerprint, isCut } : { isCut: false })
  }

  /** Copies the record, for a call that must not use files shown after it started. */
  copy(): ShownFiles {
    const copy = new ShownFiles()
    for (const path of this.paths()) copy.#own.set(path, this.#shown(path)!)
    return copy
  }

  // If a session and its parent were shown different texts, the session's own counts.
  #shown(realPath: string): Shown | undefined {
    const parent = this.parent
    return this.#own.get(realPath) ?? (parent === undefined ? undefined : parent.#shown(realPath))
  }
}

/**
 * The kind of a change. A rewrite requires that the whole text was shown; a restore, that the file is unchanged since,
 * or was deleted; an addition, that the file was shown once.
 */
export type ChangeKind = 'rewrite' | 'addition' | 'restore'

/** What to do if a file differs from what was shown. */
export const DISCOVER_AGAIN = 'Call discover-rules again to see what it says now, then call this tool again.'

/** Why a file that was never shown is not changed. */
export const NOT_SHOWN =
  'discover-rules has not shown it. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.'

/** Why a file that was shown in part is not rewritten. */
export const ONLY_PART =
  'discover-rules has shown only its beginning, because it is too long for one answer ("tool_output" in opencode.json sets the limit). add-rules can still add to it.'

/** When a file is checked: before the questions, or after them. */
export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

/** Says why a session may not change a file; null if it may. `bytes` is the present content. */
export const whyNotAllowed = (
  { discovered, known }: { discovered: ShownFiles; known: ShownFiles },
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  moment: Moment,
): string | null => {
  const fingerprint = fingerprintOf(bytes)
  const now = discovered.knowledgeOf(path, realPath, fingerprint)
  if (now === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (now === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  const then = known.knowledgeOf(path, realPath, fingerprint)
  if (then === 'changed') return `another call wrote it after this call started. ${DISCOVER_AGAIN}`
  if (kind === 'rewrite' && then === 'part') return ONLY_PART
  return then === 'unknown' ? NOT_SHOWN : null
}
