/** Records the files that the host's formatter changed during a call that does not name them. */
import { extname } from 'node:path'
import { readSaved, watchFiles } from '../../steps/saved-file.ts'
import type { StepCall } from '../../steps/step-call.ts'
import type { FormattingContext } from './known-files.ts'

export class OtherFiles {
  readonly #context: FormattingContext
  /** Maps a call to a function that lists the watched files that changed since `watch`. */
  readonly #changedSince = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** Calls on files with these extensions run alone, because the host's formatter for them has changed other files. */
  readonly #extensionsRunAlone = new Set<string>()

  constructor(context: FormattingContext) {
    this.#context = context
  }

  /** If a call must run alone, returns its additional locks: the shared lock `alone`, and the known files. */
  locksOf({ host: { tool, sessionID }, named }: StepCall): Array<string> {
    const { hostFormatter, knownFiles } = this.#context
    const changesOthers = ({ path }: { path: string }) =>
      hostFormatter?.reachOf(path) === 'project' || this.#extensionsRunAlone.has(extname(path))
    return tool !== 'read' && named.some(changesOthers) ? ['alone', ...knownFiles.of(sessionID).keys()] : []
  }

  /** If the host's formatter runs for a file that a call names, watches the known files that the call does not name. */
  async watch(call: StepCall, named: StepCall['named']): Promise<void> {
    const { hostFormatter, knownFiles } = this.#context
    const hostFormats = named.some(({ path }) => hostFormatter && hostFormatter.reachOf(path) !== 'none')
    const others = hostFormats ? knownFiles.realPathsExcept(named.map(({ real }) => real)) : []
    this.#changedSince.set(call, await watchFiles(others))
  }

  /** Records the watched files that changed during a call. */
  async recordChanged(call: StepCall): Promise<void> {
    const { knownFiles, steps } = this.#context
    for (const real of await this.#changedSince.get(call)?.() ?? []) {
      // If a running call writes the file, that call records the change.
      if (steps.runningFiles.some((file) => file.real.to === real)) continue
      const own = knownFiles.of(call.host.sessionID).get(real)
      const mayBeByOtherCall = own?.state === 'written'
      if (!mayBeByOtherCall) {
        // The host's formatter changed the file when it ran for the tracked files of this call.
        const tracked = call.files.filter(({ isReadBefore }) => isReadBefore)
        for (const { file } of tracked) this.#extensionsRunAlone.add(extname(file.path))
      }
      if (own) own.text = (await readSaved(real))?.text ?? own.text
      knownFiles.markChanged(real)
    }
  }
}
