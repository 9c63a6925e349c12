/** A running call of a session, and the states of its files, which `Steps` records. */
import { RefusedCall } from '../host/join-hooks.ts'
import { NO_SUCH_FILE } from '../safe.ts'
import { readText } from '../text/read.ts'
import type { ChangedFile, Replayed } from './call.ts'
import { type SavedFile, toSavedFile } from './saved-file.ts'

const STOPPED = 'The turn was stopped before this call ran: nothing was changed.'

/** A call as the host's hooks name it. */
export type HostCall = { tool: string; sessionID: string; callID: string }

/** The real path of a file before a call and after it, which differ when the call moves the file. */
export type RealPaths = { from: string; to: string }

/** A file as it was read. `text` is null if there is no file, undefined if the file cannot be read as text. */
export type FileState = {
  text: string | null | undefined
  saved: SavedFile | null
  error?: string | undefined
}

/** A file of a call. Its states are unset until they are read. */
export type CallFile = {
  file: ChangedFile
  real: RealPaths
  /** Whether the file is read before the call, because a hook needs to know what the call writes. */
  hasBefore: boolean
  /** Whether a call of another session writes it at the same time. */
  isShared: boolean
  before?: FileState
  after?: FileState
  /** The call as applied to the text before it: what its arguments change, without a formatter. */
  replayed?: Replayed
}

/** Reads the present state of a file. */
export const readState = async (path: string): Promise<FileState> => {
  const { data, error } = await readText(path)
  if (error !== null) return { text: error === NO_SUCH_FILE ? null : undefined, saved: null, error }
  const saved = await toSavedFile(data)
  return { text: saved.text, saved }
}

/** A call of a session's present step that reads or writes files. */
export class StepCall {
  /** The files that `readCall` finds in the arguments. */
  files: Array<CallFile> = []
  /** All files that the call names: the absolute path, and the real one. */
  named: Array<{ path: string; real: string }> = []
  isEnded = false
  /** False once another call with the same id has started. */
  isCurrent = true
  readonly host: HostCall
  readonly args: Record<string, unknown>
  readonly #atFailure: Array<() => Promise<void>> = []
  readonly #atEnd: Array<() => void> = []

  constructor(host: HostCall, args: Record<string, unknown>) {
    this.host = host
    this.args = args
  }

  /** Throws if the call ended while it waited, because its turn was aborted. Without this, the host would run it. */
  throwIfEnded(): void {
    if (this.isEnded) throw new RefusedCall(STOPPED)
  }

  /** Registers work to run if the call fails, before it ends. */
  whenFailed(work: () => Promise<void>): void {
    this.#atFailure.push(work)
  }

  /** Registers work to run when the call ends or is superseded, such as releasing a lock; or runs it now. */
  whenEnded(work: () => void): void {
    this.#atEnd.push(work)
    if (this.isEnded || !this.isCurrent) this.#release()
  }

  #release(): void {
    for (const work of this.#atEnd.splice(0)) work()
  }

  /** Records that another call with the same id has started. */
  supersede(): void {
    this.isCurrent = false
    this.#release()
  }

  /** Runs the work registered for a failure. */
  async fail(): Promise<void> {
    for (const work of this.#atFailure) await work()
  }

  /** Ends the call, and runs the work registered for its end. */
  end(): void {
    this.isEnded = true
    this.#release()
  }
}
