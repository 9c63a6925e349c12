/** Represents a tool call that `Steps` records, and the states of its files before and after the call. */
import { resolve } from 'node:path'
import { filesOfCall } from '../host/file-tools.ts'
import { RefusedCall } from '../host/join-hooks.ts'
import { realPathOf } from '../paths/real-path.ts'
import { NO_SUCH_FILE } from '../safe.ts'
import { readText } from '../text/read.ts'
import type { CallTarget, Replayed } from './call.ts'
import { type SavedFile, toSavedFile } from './saved-file.ts'

const STOPPED = 'The turn was stopped before this call ran, so nothing was changed.'

export type HostCall = { tool: string; sessionID: string; callID: string }

/** `text` is null if there is no file, and undefined if the file cannot be read as text. */
type FileState = { text: string | null | undefined; error?: string }

export type CallFile = {
  file: CallTarget
  real: { from: string; to: string }
  isReadBefore: boolean
  /** Whether a call of another session writes the file at the same time. */
  isShared: boolean
  before?: FileState
  after?: FileState
  /** The result of the call alone, without a formatter. */
  replayed?: Replayed
}

export const readState = async (path: string): Promise<{ state: FileState; saved: SavedFile | null }> => {
  const { data, error } = await readText(path)
  if (error !== null) {
    return { state: { text: error === NO_SUCH_FILE ? null : undefined, error }, saved: null }
  }
  const saved = await toSavedFile(data)
  return { state: { text: saved.text }, saved }
}

export class StepCall {
  files: Array<CallFile> = []
  /** The absolute paths that the call names. A moved file has two. */
  named: Array<{ path: string; real: string }> = []
  /** A call is superseded once another call with the same id has started. */
  state: 'running' | 'ended' | 'superseded' = 'running'
  readonly host: HostCall
  readonly args: Record<string, unknown>
  readonly #failureWork: Array<() => Promise<void>> = []
  readonly #endWork: Array<() => void> = []

  constructor(host: HostCall, args: Record<string, unknown>) {
    this.host = host
    this.args = args
  }

  /** Finds the files that the call names, reads or changes, and resolves the links in their paths. */
  async findFiles(directory: string): Promise<void> {
    const { host: { tool }, args } = this
    const { targetsOf } = await import('./call.ts')
    const paths = filesOfCall(tool, args).map((name) => resolve(directory, name))
    this.named = await Promise.all(paths.map(async (path) => ({ path, real: await realPathOf(path) })))
    this.files = await Promise.all(
      targetsOf(tool, args, directory).map(async (file) => ({
        file,
        real: { from: await realPathOf(file.from), to: await realPathOf(file.path) },
        isReadBefore: false,
        isShared: false,
      })),
    )
  }

  whenFailed(work: () => Promise<void>): void {
    this.#failureWork.push(work)
  }

  whenEnded(work: () => void): void {
    if (this.state === 'running') this.#endWork.push(work)
    else work()
  }

  /** Without the `RefusedCall`, the host would still run a call whose turn was stopped. */
  throwIfEnded(): void {
    if (this.state === 'ended') throw new RefusedCall(STOPPED)
  }

  async fail(): Promise<void> {
    for (const work of this.#failureWork) await work()
  }

  end(state: 'ended' | 'superseded' = 'ended'): void {
    this.state = state
    for (const work of this.#endWork.splice(0)) work()
  }
}
