/** Represents a tool call that `Steps` records, and the states of its files before and after the call. */
import { RefusedCall } from '../host/join-hooks.ts'
import { NO_SUCH_FILE } from '../safe.ts'
import { readText } from '../text/read.ts'
import type { CallTarget, Replayed } from './call.ts'
import { type SavedFile, toSavedFile } from './saved-file.ts'

const STOPPED = 'The turn was stopped before this call ran, so nothing was changed.'

export type HostCall = { tool: string; sessionID: string; callID: string }

export type RealPaths = { from: string; to: string }

/** `text` is null if there is no file, and undefined if the file cannot be read as text. */
type FileState = { text: string | null | undefined; error?: string }

export type CallFile = {
  file: CallTarget
  real: RealPaths
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
  isEnded = false
  /** False once another call with the same id has started. */
  isCurrent = true
  readonly host: HostCall
  readonly args: Record<string, unknown>
  readonly #failureWork: Array<() => Promise<void>> = []
  readonly #endWork: Array<() => void> = []

  constructor(host: HostCall, args: Record<string, unknown>) {
    this.host = host
    this.args = args
  }

  whenFailed(work: () => Promise<void>): void {
    this.#failureWork.push(work)
  }

  whenEnded(work: () => void): void {
    this.#endWork.push(work)
    if (this.isEnded || !this.isCurrent) this.#runEndWork()
  }

  /** Without the `RefusedCall`, the host would still run a call whose turn was stopped. */
  throwIfEnded(): void {
    if (this.isEnded) throw new RefusedCall(STOPPED)
  }

  async fail(): Promise<void> {
    for (const work of this.#failureWork) await work()
  }

  end(): void {
    this.isEnded = true
    this.#runEndWork()
  }

  supersede(): void {
    this.isCurrent = false
    this.#runEndWork()
  }

  #runEndWork(): void {
    for (const work of this.#endWork.splice(0)) work()
  }
}
