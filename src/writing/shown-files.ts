/** Records what discover-rules showed to a session, and decides whether the session may change a file. */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** How much of a file's present text a session was shown: all, the beginning, only an earlier text, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** The text of a file that a session was shown: all of it, or only the beginning (`isCut`). */
type ShownText = { fingerprint: string; isCut: boolean }

/** Records which files one session was shown. A child session may also use the record of its `parent`. */
export class ShownFiles {
  /** The session's own records, by real path. */
  #records = new Map<string, ShownText>()
  readonly #trustedPaths: Set<string> | undefined
  parent: ShownFiles | undefined

  /** @param trustedPaths paths that count as shown, whatever the files contain. `record` adds further paths to them. */
  constructor(trustedPaths?: Set<string>) {
    this.#trustedPaths = trustedPaths
  }

  /** Lists the trusted paths, then those of the records, in the order in which they were first shown. */
  paths(): Array<string> {
    return [...new Set([...this.#trustedPaths ?? [], ...this.#allRecords().keys()])]
  }

  /** Returns how much of a file the session was shown, given the fingerprint of its present text. */
  knowledgeOf(path: string, realPath: string, fingerprint: string): Knowledge {
    // A trusted path need not be a real path.
    if (this.#trustedPaths?.has(path) || this.#trustedPaths?.has(realPath)) return 'whole'
    const shownText = this.#allRecords().get(realPath)
    if (shownText === undefined) return 'unknown'
    if (shownText.fingerprint !== fingerprint) return 'changed'
    return shownText.isCut ? 'part' : 'whole'
  }

  /** Records a text that the session was shown or that it wrote. `isCut`: only the beginning was shown. */
  record(realPath: string, fingerprint: string, isCut = false): void {
    this.#trustedPaths?.add(realPath)
    this.#records.set(realPath, { fingerprint, isCut })
  }

  /** Copies the record, for a call that must not use what is shown after it started. */
  copy(): ShownFiles {
    const copy = new ShownFiles(this.#trustedPaths && new Set(this.#trustedPaths))
    copy.#records = this.#allRecords()
    return copy
  }

  /** Returns the records of the session, then those of its parents. For a file in both, the session's record counts. */
  #allRecords(): Map<string, ShownText> {
    const inherited = this.parent === undefined ? [] : this.parent.#allRecords()
    // A `Map` keeps the first place and the last value of a key.
    return new Map([...this.#records, ...inherited, ...this.#records])
  }
}

/**
 * The kind of a change. A rewrite requires that the session was shown the whole present text; a restore, that it was
 * shown some of the present text, or that the file was deleted; an addition, that it was ever shown the file.
 */
export type ChangeKind = 'rewrite' | 'addition' | 'restore'

/** Tells the model what to do about a file that changed since it was shown. */
export const DISCOVER_AGAIN = 'Call discover-rules again to see what it says now, then call this tool again.'

/** Why a file that was never shown is not changed. */
export const NOT_SHOWN =
  'discover-rules has not shown it. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.'

/** Why a file that was shown in part is not rewritten. */
export const ONLY_PART =
  'discover-rules has shown only its beginning, because it is too long for one answer ("tool_output" in opencode.json sets the limit). add-rules can still add to it.'

/** When a file changed: before the person was asked, or during the question. */
export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

/** What a session was shown by now (`discovered`), and before its call started, when the model wrote the call. */
export type ShownToSession = { discovered: ShownFiles; shownAtStart: ShownFiles }

/** Returns the reason why a session may not change a file with this present content; null if it may. */
export const whyNotAllowed = (
  { discovered, shownAtStart }: ShownToSession,
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  moment: Moment,
): string | null => {
  const [now, atStart] = [discovered, shownAtStart].map((shown) =>
    shown.knowledgeOf(path, realPath, fingerprintOf(bytes))
  )
  if (now === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (now === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  if (atStart === 'changed') return `another call wrote it after this call started. ${DISCOVER_AGAIN}`
  if (atStart === 'unknown') return NOT_SHOWN
  return kind === 'rewrite' && atStart === 'part' ? ONLY_PART : null
}
