/** Finds the files that a session's calls wrote since the session's last request, and each change in these files. */
import type { StepFile, Written } from '../checks/file-changes.ts'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import { type CompletedCall, completedCallsOf } from '../host/message-parts.ts'
import { candidatePaths, pathOrRealPathInWorktree } from '../paths/path-in-worktree.ts'
import { findPart } from '../steps/find-part.ts'
import type { CallFile } from '../steps/step-call.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { History } from './history.ts'

/** `path` is relative to the worktree. */
export type WrittenFile = StepFile & {
  /** The paths by which globs may match the file. */
  paths: Array<string>
  previousPath: string | undefined
  /** The last call that wrote the file. */
  part: CompletedCall
}

/** Adds a call's change. Joins `a → b` and `b → c` into `a → c` if the results of both calls are certain. */
const addChange = (changes: Array<Written>, { before, after, replayed }: CallFile): void => {
  const textBefore = before?.text
  const textAfter = after?.text
  // The text of a missing file is null, an unknown text is undefined.
  if (textBefore === undefined || textAfter === undefined || !replayed) return
  const { applied, args } = replayed
  const isDeleted = textAfter === null
  const argsIfUncertain = applied || isDeleted ? undefined : Object.values(args).map(String).join('\n')
  // `textAfter` may also contain the changes of a formatter.
  const written = isDeleted ? null : applied?.raw ?? textAfter
  const last = changes.at(-1)
  if (applied && last?.after === textBefore && !last.argsIfUncertain) last.after = written
  else changes.push({ before: textBefore, after: written, argsIfUncertain })
}

export const writtenFiles = async (history: History, sessionID: string, { places, steps }: DeliveryInput) => {
  const calls = steps.callsOf(sessionID)
  const completed = calls.length > 0 ? completedCallsOf(history) : []
  const byRealPath = new Map<string, WrittenFile>()
  for (const { host: { tool, callID }, args, files } of calls) {
    const part = WRITING_TOOLS.has(tool) ? findPart(completed, { callID, args }) : undefined
    if (!part) continue
    for (const callFile of files) {
      const { file, real, after } = callFile
      const path = pathOrRealPathInWorktree(file.path, real.to, places)
      if (path === undefined) continue
      const earlier = byRealPath.get(real.from)
      byRealPath.delete(real.from)
      const written = earlier?.written ?? []
      addChange(written, callFile)
      const pathBefore = pathOrRealPathInWorktree(file.from, real.from, places)
      byRealPath.set(real.to, {
        path,
        paths: await candidatePaths(path, places),
        previousPath: earlier?.previousPath ?? (real.from === real.to ? undefined : pathBefore),
        written,
        presentText: after ? (await steps.presentFiles.read(file.path))?.text ?? null : null,
        part,
      })
    }
  }
  const positionOf = ({ part }: WrittenFile) => completed.indexOf(part)
  return [...byRealPath.values()].toSorted((one, other) => positionOf(one) - positionOf(other))
}
