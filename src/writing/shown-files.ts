/** Decides whether a session may change a file, because a model must not replace a text that it has not seen. */
import { fingerprintOf, type ReadText } from '../text/read.ts'

/** Says which text of a file was shown to a session. */
type Knowledge =
  | 'whole' // the present text
  | 'part' // the beginning of the present text
  | 'changed' // an earlier text
  | 'unknown' // nothing

/** If `isCut` is true, only the beginning was shown, but `fingerprint` covers the whole text. */
type ShownText = { fingerprint: string; isCut: boolean }

/** A child session also knows the files that its parent session was shown. */
export class ShownFiles {
  #ownTexts = new Map<string, ShownText>()
  /** Files at these paths count as shown whole, whatever they contain. */
  readonly #trustedPaths: Set<string> | undefined
  parent: ShownFiles | undefined

  constructor(trustedPaths?: Set<string>) {
    this.#trustedPaths = trustedPaths
  }

  paths(): Array<string> {
    return [...new Set([...this.#trustedPaths ?? [], ...this.#allTexts().keys()])]
  }

  knowledgeOf(path: string, realPath: string, presentFingerprint: string): Knowledge {
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

/** The comments name the text that the session must have been shown. */
export type ChangeKind =
  | 'rewrite' // the whole present text
  | 'restore' // at least the beginning of the present text
  | 'addition' // any text, even an earlier one, because an addition removes nothing

export const DISCOVER_AGAIN = 'Call discover-rules again to see its present text, then call this tool again.'

export const NOT_SHOWN =
  'discover-rules has not shown it. Call discover-rules first (put this path in "files" if the result does not show the file), then call this tool again.'

export const ONLY_PART =
  'discover-rules has shown only its beginning, because it is too long for one answer ("tool_output" in opencode.json sets the limit). add-rules can still add to it.'

export type ShownToSession = {
  /** Parallel calls may add files during a call. */
  discovered: ShownFiles
  /** A copy of `discovered` from the start of the call, because the model knew no more when it wrote the call. */
  shownAtStart: ShownFiles
}

/** Returns the reason why a call may not change an existing file; null if it may. */
export const whyNotAllowed = (
  { discovered, shownAtStart }: ShownToSession,
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  when: string,
): string | null => {
  const fingerprint = fingerprintOf(bytes)
  const knownNow = discovered.knowledgeOf(path, realPath, fingerprint)
  if (knownNow === 'unknown') return NOT_SHOWN
  if (kind === 'addition') return null
  if (knownNow === 'changed') return `it changed ${when}. ${DISCOVER_AGAIN}`
  const knownAtStart = shownAtStart.knowledgeOf(path, realPath, fingerprint)
  if (knownAtStart === 'changed') return `another call wrote it after this call started. ${DISCOVER_AGAIN}`
  if (knownAtStart === 'unknown') return NOT_SHOWN
  return kind === 'rewrite' && knownAtStart === 'part' ? ONLY_PART : null
}
