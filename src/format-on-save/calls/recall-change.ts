import type { FileChange } from '../run/changed-files.ts'
import type { AppliedCall } from './applied-calls.ts'
import { recall } from './earlier-calls.ts'
import type { FilesInContext } from './files-in-context.ts'
import type { Corrections } from './history-corrections.ts'
import { nameInNote, noteOf, readAgainNote } from './note.ts'

/**
 * Corrects what the earlier calls of a session say of a file that a formatter changed. What they cannot say is told by a
 * note: behind the session's last call or, in the session whose call is not over yet, behind that call.
 */
export const recallChange = (
  change: FileChange,
  sessionID: string,
  open: AppliedCall | null,
  { shown, corrections, directory }: { shown: FilesInContext; corrections: Corrections; directory: string },
): void => {
  const name = nameInNote(directory, change.path)
  // A call that wrote words is not corrected to have written none.
  const isLost = change.after.trim() === '' && change.before.trim() !== ''
  const seen = shown.callsBeforeRead(sessionID, change.path)
  const recalled = recall(isLost ? [] : shown.callsOf(sessionID), { ...change, directory }, seen)
  for (const { past, corrected } of recalled.corrections) {
    corrections.add(past.callID, sessionID, past.input, corrected)
    shown.correct(sessionID, past, { ...past.input, [corrected.argument]: corrected.value })
  }
  const note = isLost
    ? `${name} was emptied, removed or made unreadable by the formatter.`
    : noteOf(name, recalled.believed, change.after)
  const last = shown.lastCallOf(sessionID)
  const again = readAgainNote(name)
  if (sessionID === open?.sessionID) open.notes.set(change.path, note)
  else if (last && note !== '') corrections.tell(last, sessionID, { path: change.path, note, again })
}
