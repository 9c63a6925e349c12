/** Defines what `Steps` records: a tool call of a session, and the states of its files before and after it. */
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

/** The state of a file. `text` is null if there is no file; undefined if it cannot be read as text, as `error` says. */
type FileState = { text: string | null | undefined; error?: string }

/** A file of a call. Its states before and after the call are unset until they are read. */
export type CallFile = {
  file: ChangedFile
  real: RealPaths
  /** Whether a hook asked for the state before the call, to find out what the call writes. */
  isReadBefore: boolean
  /** Whether a call of another session writes the file at the same time. */
  isShared: boolean
  before?: FileState
  after?: FileState
  /** What the arguments make of the text that the file had before the call, without a formatter. */
  replayed?: Replayed
}

/** Reads the present state of a file. Also returns the file itself (`saved`), which is null if it has no text. */
export const readState = async (path: string): Promise<{ state: FileState; saved: SavedFile | null }> => {
  const { data, error } = await readText(path)
  if (error !== null) {
    return { state: { text: error === NO_SUCH_FILE ? null : undefined, error }, saved: null }
  }
  const saved = await toSavedFile(data)
  return { state: { text: saved.text }, saved }
}

/** A tool call of a session, until it has ended or is superseded. */
export class StepCall {
  /** The files that `readCall` finds in the arguments, with their states; a moved file is one entry. */
  files: Array<CallFile> = []
  /** Every path that the call names, made absolute, and the real path that it leads to; a moved file has two. */
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

  /** Registers work to run if the call fails, before it ends. */
  whenFailed(work: () => Promise<void>): void {
    this.#failureWork.push(work)
  }

  /** Registers work for when the call ends or is superseded, such as releasing a lock; runs it now if that is past. */
  whenEnded(work: () => void): void {
    this.#endWork.push(work)
    if (this.isEnded || !this.isCurrent) this.#runEndWork()
  }

  /** Throws if the call ended while it waited, because its turn was stopped. Otherwise, the host would run the call. */
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

  /** Records that another call with the same id has started, and runs the work registered for the call's end. */
  supersede(): void {
    this.isCurrent = false
    this.#runEndWork()
  }

  #runEndWork(): void {
    for (const work of this.#endWork.splice(0)) work()
  }
}
