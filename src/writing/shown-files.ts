/** Decides whether a session may change a file: a model that has not seen the present text must not replace it. */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** What a session was shown of a file: the whole present text, its beginning, only an earlier text, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** `isCut`: only the beginning was shown, but `fingerprint` is that of the whole text. */
type ShownText = { fingerprint: string; isCut: boolean }

/** The files that one session was shown. A child session also knows the files that its `parent` was shown. */
export class ShownFiles {
  #ownTexts = new Map<string, ShownText>()
  /** If given, these paths count as shown whole, whatever the files contain; `record` adds to them. */
  readonly #trustedPaths: Set<string> | undefined
  parent: ShownFiles | undefined

  constructor(trustedPaths?: Set<string>) {
    this.#trustedPaths = trustedPaths
  }

  paths(): Array<string> {
    return [...new Set([...this.#trustedPaths ?? [], ...this.#allTexts().keys()])]
  }

  knowledgeOf(path: string, realPath: string, presentFingerprint: string): Knowledge {
    // A trusted path may be that of a link.
    if (this.#trustedPaths?.has(path) || this.#trustedPaths?.has(realPath)) return 'whole'
    const shownText = this.#allTexts().get(realPath)
    if (shownText === undefined) return 'unknown'
    if (shownText.fingerprint !== presentFingerprint) return 'changed'
    return shownText.isCut ? 'part' : 'whole'
  }

  record(realPath: string, fingerprint: string, isCut = false): void {
    this.#trustedPaths?.add(realPath)
    this.#ownTexts.set(realPath, { fingerprint, isCut })
  }

  copy(): ShownFiles {
    const copy = new ShownFiles(this.#trustedPaths && new Set(this.#trustedPaths))
    copy.#ownTexts = this.#allTexts()
    return copy
  }

  #allTexts(): Map<string, ShownText> {
    const inherited = this.parent === undefined ? [] : [...this.parent.#allTexts()]
    const ofOtherFiles = inherited.filter(([realPath]) => !this.#ownTexts.has(realPath))
    return new Map([...this.#ownTexts, ...ofOtherFiles])
  }
}

/**
 * What the session must have been shown of an existing file: for a `rewrite`, the whole present text; for a `restore`
 * from a backup, at least its beginning; for an `addition`, some text, which need not be the present one.
 */
export type ChangeKind = 'rewrite' | 'addition' | 'restore'

export const DISCOVER_AGAIN = 'Call discover-rules again to see what it says now, then call this tool again.'

export const NOT_SHOWN =
  'discover-rules has not shown it. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.'

export const ONLY_PART =
  'discover-rules has shown only its beginning, because it is too long for one answer ("tool_output" in opencode.json sets the limit). add-rules can still add to it.'

export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

export type ShownToSession = {
  /** What the session was shown or wrote until now, including in parallel calls. */
  discovered: ShownFiles
  /** What it was shown before the call started: the model knew no more when it wrote the call. */
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
  if (now === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (now === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  // When the model wrote this call, it did not know what parallel calls have shown or written since.
  const atStart = shownAtStart.knowledgeOf(path, realPath, fingerprint)
  if (atStart === 'changed') return `another call wrote it after this call started. ${DISCOVER_AGAIN}`
  if (atStart === 'unknown') return NOT_SHOWN
  return kind === 'rewrite' && atStart === 'part' ? ONLY_PART : null
}
