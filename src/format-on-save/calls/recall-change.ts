import { relative } from 'node:path'
import type { FileChange } from '../run/changed-files.ts'
import type { AppliedCall } from './applied-calls.ts'
import { recall } from './earlier-calls.ts'
import type { FilesInContext } from './files-in-context.ts'
import type { Corrections } from './history-corrections.ts'
import { noteOf } from './note.ts'

/**
 * Corrects what each session's earlier calls say of a file that changed behind them; what those cannot say is told
 * with the last of them or, in its session, with the call whose result is still open.
 */
export const recallChange = (
  change: FileChange,
  open: AppliedCall | null,
  { shown, corrections, directory }: { shown: FilesInContext; corrections: Corrections; directory: string },
): void => {
  const name = relative(directory, change.path)
  // A call that wrote a text did not write nothing.
  const isLost = change.after.trim() === '' && change.before.trim() !== ''
  for (const sessionID of shown.sessionsWith(change.path)) {
    const recalled = recall(isLost ? [] : shown.callsOf(sessionID), { ...change, directory })
    for (const { past, corrected } of recalled.corrections) {
      corrections.add(past.callID, sessionID, past.input, corrected)
      shown.correct(sessionID, past, { ...past.input, [corrected.argument]: corrected.value })
    }
    const note = isLost
      ? `${name} was emptied, removed or made unreadable by the formatter.`
      : noteOf(name, recalled.believed, change.after)
    const last = shown.callsOf(sessionID).at(-1)
    if (sessionID === open?.sessionID) open.notes.set(change.path, note)
    else if (last && note !== '') corrections.tell(last.callID, sessionID, last.input, note)
  }
}
