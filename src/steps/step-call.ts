import { RefusedCall } from '../host/join-hooks.ts'
import { NO_SUCH_FILE } from '../safe.ts'
import { readText } from '../text/read.ts'
import type { ChangedFile } from './call.ts'
import type { Applied } from './edits.ts'
import { type SavedFile, savedFile } from './saved-file.ts'

const STOPPED = 'The turn was stopped before this call ran: nothing was changed.'

/** A call as the host's hooks name it. */
export type HostCall = { tool: string; sessionID: string; callID: string }

/** Where a file of a call is, links followed, before it and after it. */
export type RealPaths = { from: string; to: string }

/** A file as it was read; `text` is null where there is none, and undefined where it is no text, with the reason. */
export type FileState = {
  text: string | null | undefined
  saved: SavedFile | null
  error?: string | undefined
}

/** What a call makes of a file, its arguments as they fit exactly, and the file as they name it. */
export type Made = { applied: Applied | null; args: Record<string, unknown>; file: ChangedFile }

/** A file that a call names: before the call, as its arguments make it, and after it. Each is read once. */
export type CallFile = {
  file: ChangedFile
  real: RealPaths
  /** Whether somebody follows what the call writes. */
  isWritten: boolean
  /** Whether a call of another session writes it at the same time. */
  isShared: boolean
  before?: FileState
  after?: FileState
  made?: Made
}

/** Reads a file as a call finds or leaves it. */
export const readState = async (path: string): Promise<FileState> => {
  const { data, error } = await readText(path)
  if (error !== null) return { text: error === NO_SUCH_FILE ? null : undefined, saved: null, error }
  const saved = await savedFile(data)
  return { text: saved.text, saved }
}

/** A call of a session's present step that reads or writes files. */
export class StepCall {
  /** The files that SAT knows how the call changes. */
  files: Array<CallFile> = []
  /** All files that the call names, absolute, and where they are, links followed. */
  named: Array<{ path: string; real: string }> = []
  isEnded = false
  /** Whether no other call has come with the same id since. */
  isFollowed = true
  readonly host: HostCall
  readonly args: Record<string, unknown>
  readonly #atEnd: Array<() => void> = []
  readonly #atFailure: Array<() => Promise<void>> = []

  constructor(host: HostCall, args: Record<string, unknown>) {
    this.host = host
    this.args = args
  }

  /** Refuses a call whose turn was aborted while it waited: the host runs it all the same. */
  assertRuns(): void {
    if (this.isEnded) throw new RefusedCall(STOPPED)
  }

  /** Runs work once the call has ended or is not followed any more; at once where that is so. */
  whenEnded(work: () => void): void {
    if (this.isEnded || !this.isFollowed) work()
    else this.#atEnd.push(work)
  }

  /** Runs work before the end of a call that has failed. */
  whenFailed(work: () => Promise<void>): void {
    this.#atFailure.push(work)
  }

  async fail(): Promise<void> {
    for (const work of this.#atFailure) await work()
  }

  /** Releases what the call holds. */
  release(): void {
    for (const work of this.#atEnd.splice(0)) work()
  }

  end(): void {
    this.isEnded = true
    this.release()
  }
}
