/** Why a session may not change a file, by what discover-rules showed it. */
import { fingerprintOf, type ReadText } from '../text/read.ts'
import type { WriteContext } from './write-context.ts'

/**
 * How a file is changed. To replace its text, all of it must have been shown; to restore a backup, it must be unchanged
 * since it was shown, or gone; to append, it must have been shown once.
 */
export type ChangeKind = 'replace' | 'restore' | 'append'

/** What to do about a file that is not as it was shown. */
export const DISCOVER_AGAIN = 'Call discover-rules again to see what it says now, then call this tool again.'

/** Why a file that was never shown is not changed. */
export const NOT_SHOWN =
  'discover-rules has not shown it. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.'

const ONLY_PART =
  'discover-rules has shown only its beginning, for it is too long for one answer ("tool_output" in opencode.json says how long one may be). add-rules may add to it as it is.'

/** When a file is checked: before the questions, and after them. */
export type Moment = 'since discover-rules showed it' | 'while permission was asked for'

/** Why a session may not change a file by what it was shown of it, or null. `bytes` are what the file has now. */
export const whyUnknown = (
  { discovered, known }: WriteContext,
  { kind, path }: { kind: ChangeKind; path: string },
  { realPath, bytes }: ReadText,
  moment: Moment,
): string | null => {
  const fingerprint = fingerprintOf(bytes)
  const now = discovered.knows(path, realPath, fingerprint)
  if (now === 'unknown') return NOT_SHOWN
  if (kind === 'append') return null
  if (now === 'changed') return `it changed ${moment}. ${DISCOVER_AGAIN}`
  const then = known.knows(path, realPath, fingerprint)
  if (then === 'changed') return `another call wrote it after this one was made. ${DISCOVER_AGAIN}`
  if (kind === 'replace' && then === 'part') return ONLY_PART
  return then === 'unknown' ? NOT_SHOWN : null
}
