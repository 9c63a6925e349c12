/** Records the files that the host's formatter changed during a call that does not name them. */
import { extname } from 'node:path'
import { isReformatted } from '../../steps/realign/bare-text.ts'
import { readSaved, watchFiles } from '../../steps/saved-file.ts'
import type { StepCall } from '../../steps/step-call.ts'
import type { FormattingContext } from './known-files.ts'

export const trackOtherFiles = ({ hostFormatter, knownFiles, steps }: FormattingContext) => {
  const changedSince = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** The host's formatter for files with these extensions has changed other files. */
  const extensionsRunAlone = new Set<string>()
  const reachOf = (path: string) => hostFormatter?.reachOf(path) ?? 'none'
  const changesOthers = ({ path }: { path: string }): boolean =>
    reachOf(path) === 'project' || extensionsRunAlone.has(extname(path))
  return {
    /** Returns the additional locks of a call that must run alone, otherwise an empty list. */
    locksOf: ({ host: { tool, sessionID }, named }: StepCall): Array<string> =>
      tool !== 'read' && named.some(changesOthers) ? ['alone', ...knownFiles.of(sessionID).keys()] : [],

    /** If the host's formatter runs for a named file, watches the known files that the call does not name. */
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
        // After any other change, such as a person's, later calls run on the text that is on the disk.
        if (now !== undefined && isReformatted(own!.text, now)) own!.text = now
        knownFiles.markChanged(real)
      }
    },
  }
}
