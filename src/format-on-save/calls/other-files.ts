/** Records the files that the host's formatter changed during a call that does not name them. */
import { extname } from 'node:path'
import { isReformatted } from '../../steps/realign/bare-text.ts'
import { readSaved, watchFiles } from '../../steps/saved-file.ts'
import type { StepCall } from '../../steps/step-call.ts'
import type { FormattingContext } from './known-files.ts'

export const trackOtherFiles = ({ hostFormatter, knownFiles, steps }: FormattingContext) => {
  const changedSince = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** Calls on files with these extensions run alone, because their formatter in the host has changed other files. */
  const extensionsRunAlone = new Set<string>()
  const reachOf = (path: string) => hostFormatter?.reachOf(path) ?? 'none'
  const changesOthers = ({ path }: { path: string }): boolean =>
    reachOf(path) === 'project' || extensionsRunAlone.has(extname(path))
  return {
    /** Returns the additional locks if the call must run alone, or an empty list if not. */
    locksOf: ({ host: { tool, sessionID }, named }: StepCall): Array<string> =>
      tool !== 'read' && named.some(changesOthers) ? ['alone', ...knownFiles.of(sessionID).keys()] : [],

    /** If the host formats a file that the call names, watches the known files that the call does not name. */
    async watch(call: StepCall): Promise<void> {
      const hostFormats = call.named.some(({ path }) => reachOf(path) !== 'none')
      const others = hostFormats ? knownFiles.realPathsExcept(call.named.map(({ real }) => real)) : []
      changedSince.set(call, await watchFiles(others))
    },

    async recordChanged(call: StepCall): Promise<void> {
      for (const real of await changedSince.get(call)?.() ?? []) {
        // If a running call writes the file, that call records the change.
        if (steps.runningFiles.some((file) => file.real.to === real)) continue
        const own = knownFiles.of(call.host.sessionID).get(real)
        const mayBeByOtherCall = own?.state === 'written'
        if (!mayBeByOtherCall) {
          const tracked = call.files.filter(({ isReadBefore }) => isReadBefore)
          for (const { file } of tracked) extensionsRunAlone.add(extname(file.path))
        }
        const now = own && (await readSaved(real))?.text
        // If more than the format changed (a person edited the file), `text` stays as it is. `recordWrite` then finds
        // that a later call ran on another text.
        if (now !== undefined && isReformatted(own!.text, now)) own!.text = now
        knownFiles.markChanged(real)
      }
    },
  }
}
