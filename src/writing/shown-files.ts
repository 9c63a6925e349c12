/** Records what discover-rules showed to a session, and says why the session may not change a file. */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** How much of a file's present text a session was shown: all, the beginning, only an earlier text, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/**
 * What a session was shown of a file. `isCut`: only the beginning. Without a `fingerprint`, any text counts as shown.
 */
type ShownText = { fingerprint?: string; isCut: boolean }

/**
 * Records which files, by real path, one session was shown. A child session may also use the record of its `parent`.
 */
export class ShownFiles {
  readonly #records = new Map<string, ShownText>()
  readonly #trustedPaths: Set<string> | undefined
  parent: ShownFiles | undefined

  /**
   * @param trustedPaths paths that count as shown, whatever the files contain; paths shown later are added to the set
   */
  constructor(trustedPaths?: Set<string>) {
    this.#trustedPaths = trustedPaths
    for (const path of trustedPaths ?? []) this.#records.set(path, { isCut: false })
  }

  /** Lists the paths in the order in which they were first shown. */
  paths(): Array<string> {
    return [...new Set([...this.#records.keys(), ...this.parent?.paths() ?? []])]
  }

  /** Returns how much of a file the session was shown, given the fingerprint of its present text. */
  knowledgeOf(path: string, realPath: string, fingerprint: string): Knowledge {
    // A trusted path need not be a real path.
    const trusted = this.#records.get(path)
    const shownText = this.#recordOf(realPath) ?? (trusted?.fingerprint === undefined ? trusted : undefined)
    if (shownText === undefined) return 'unknown'
    if (shownText.fingerprint !== undefined && shownText.fingerprint !== fingerprint) return 'changed'
    return shownText.isCut ? 'part' : 'whole'
  }

  /** Records a text that the session was shown or that it wrote. `isCut`: only the beginning was shown. */
  record(realPath: string, fingerprint: string, isCut = false): void {
    this.#trustedPaths?.add(realPath)
    this.#records.set(realPath, this.#trustedPaths === undefined ? { fingerprint, isCut } : { isCut: false })
  }

  /** Copies the record, for a call that must not use what is shown after it started. */
  copy(): ShownFiles {
    const copy = new ShownFiles()
    for (const path of this.paths()) copy.#records.set(path, this.#recordOf(path)!)
    return copy
  }

  // If a session and its parent were shown different texts, the session's own counts.
  #recordOf(realPath: string): ShownText | undefined {
    const parent = this.parent
    return this.#records.get(realPath) ?? (parent === undefined ? undefined : parent.#recordOf(realPath))
  }
}

/**
 * The kind of a change. A rewrite requires that the session was shown the whole present text; a restore, that the file
 * is unchanged since it was shown, or was deleted; an addition, that the file was ever shown.
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

/** The time in which a file changed: before the person was asked, or during the question. */
export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

/** What the session of a call was shown. */
export type ShownToSession = {
  /** The files that discover-rules has shown to the session by now. */
  discovered: ShownFiles
  /** The files that it had shown when the call started: the rules of the call come from these texts. */
  shownAtStart: ShownFiles
}

/** Returns why a session may not change a file, given its present content; null if it may. */
export const whyNotAllowed = (
  { discovered, shownAtStart: known }: ShownToSession,
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  moment: Moment,
): string | null => {
  const fingerprint = fingerprintOf(bytes)
  const knowledgeNow = discovered.knowledgeOf(path, realPath, fingerprint)
  if (knowledgeNow === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (knowledgeNow === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  const knowledgeAtStart = known.knowledgeOf(path, realPath, fingerprint)
  if (knowledgeAtStart === 'changed') {
    return `another call wrote it after this call started. ${DISCOVER_AGAIN}`
  }
  if (kind === 'rewrite' && knowledgeAtStart === 'part') return ONLY_PART
  return knowledgeAtStart === 'unknown' ? NOT_SHOWN : null
}
