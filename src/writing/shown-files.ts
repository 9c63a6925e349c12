/**
 * Records which files the tool discover-rules showed to a session, and decides whether the session may change a file:
 * a model that has not seen the present text of a file must not replace it.
 */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** What a session was shown of a file: the whole present text, its beginning, only an earlier text, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** A text that a session was shown. `isCut`: only its beginning was shown, but `fingerprint` is that of all of it. */
type ShownText = { fingerprint: string; isCut: boolean }

/** The files that one session was shown. A child session also knows the files that its `parent` was shown. */
export class ShownFiles {
  /** The texts that the session itself was shown, by real path. */
  #ownTexts = new Map<string, ShownText>()
  readonly #trustedPaths: Set<string> | undefined
  parent: ShownFiles | undefined

  /** @param trustedPaths paths that count as shown, whatever the files contain. `record` adds paths to this set. */
  constructor(trustedPaths?: Set<string>) {
    this.#trustedPaths = trustedPaths
  }

  /** Lists the trusted paths, then those that the session was shown, then those that its parents were shown. */
  paths(): Array<string> {
    return [...new Set([...this.#trustedPaths ?? [], ...this.#allTexts().keys()])]
  }

  /** Returns what the session was shown of a file. `fingerprint` is that of the file's present text. */
  knowledgeOf(path: string, realPath: string, fingerprint: string): Knowledge {
    // A trusted path need not be a real path.
    if (this.#trustedPaths?.has(path) || this.#trustedPaths?.has(realPath)) return 'whole'
    const shownText = this.#allTexts().get(realPath)
    if (shownText === undefined) return 'unknown'
    if (shownText.fingerprint !== fingerprint) return 'changed'
    return shownText.isCut ? 'part' : 'whole'
  }

  /** Records a text that the session was shown or that it wrote. `isCut`: only the beginning was shown. */
  record(realPath: string, fingerprint: string, isCut = false): void {
    this.#trustedPaths?.add(realPath)
    this.#ownTexts.set(realPath, { fingerprint, isCut })
  }

  /** Returns a copy that later calls of `record` do not change. */
  copy(): ShownFiles {
    const copy = new ShownFiles(this.#trustedPaths && new Set(this.#trustedPaths))
    copy.#ownTexts = this.#allTexts()
    return copy
  }

  /** Returns the texts that the session was shown, then those of other files that its parents were shown. */
  #allTexts(): Map<string, ShownText> {
    const inherited = this.parent === undefined ? [] : [...this.parent.#allTexts()]
    const ofOtherFiles = inherited.filter(([realPath]) => !this.#ownTexts.has(realPath))
    return new Map([...this.#ownTexts, ...ofOtherFiles])
  }
}

/**
 * The kind of a change, and what the session must have been shown for it:
 *
 * - `rewrite`: the whole present text.
 * - `restore` (from a backup): at least the beginning of the present text. A deleted file needs no check.
 * - `addition`: the file, whatever it said then.
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

/** When a file changed: before the person was asked for permission, or meanwhile. */
export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

export type ShownToSession = {
  /** What the session was shown by now. */
  discovered: ShownFiles
  /** What it was shown before the call started: the model wrote the call without knowing more. */
  shownAtStart: ShownFiles
}

/** Returns the reason why a call may not change a file that exists and has these bytes; null if it may. */
export const whyNotAllowed = (
  { discovered, shownAtStart }: ShownToSession,
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  moment: Moment,
): string | null => {
  const fingerprint = fingerprintOf(bytes)
  const now = discovered.knowledgeOf(path, realPath, fingerprint)
  const atStart = shownAtStart.knowledgeOf(path, realPath, fingerprint)
  if (now === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (now === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  if (atStart === 'changed') return `another call wrote it after this call started. ${DISCOVER_AGAIN}`
  if (atStart === 'unknown') return NOT_SHOWN
  return kind === 'rewrite' && atStart === 'part' ? ONLY_PART : null
}
