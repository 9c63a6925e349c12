import { LruMap } from '../../text/lru-map.ts'
import type { DoneCall } from './correct-calls.ts'

/** What a session's model knows of a file. */
export type KnownFile = {
  path: string
  /** The file as the model believes it is: what it read, with its calls applied; null where that is not sure. */
  believed: string | null
  /** The file on the disk as last seen, which differs where the host formatted it. */
  text: string
  /** Its calls on the file since it was read, as corrected. */
  calls: Array<DoneCall>
  /** The last call that wrote it in this step, which gets the notes on it; null where none did. */
  writer: DoneCall | null
  /**
   * `known`: the model knows all of it. `written`: a call wrote it, and it waits for its formatter. `formatted`: the next
   * request compares it. `changed`: the formatter of another session or of the whole project changed it.
   */
  state: 'known' | 'written' | 'formatted' | 'changed'
}

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** The files that each session's model knows. */
export class KnownFiles {
  readonly #sessions = new LruMap<string, Map<string, KnownFile>>(MAX_SESSIONS)

  of(sessionID: string): Map<string, KnownFile> {
    const files = this.#sessions.get(sessionID) ?? new Map<string, KnownFile>()
    this.#sessions.set(sessionID, files)
    return files
  }

  /** The files of this path, of all sessions. */
  withPath(path: string): Array<KnownFile> {
    return [...this.#sessions.values()].flatMap((files) => files.get(path) ?? [])
  }

  /** The paths of all sessions' files. */
  get paths(): Array<string> {
    return [...new Set([...this.#sessions.values()].flatMap((files) => [...files.keys()]))]
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Notes what a model saw of a file. A file that waits to be formatted goes on waiting. */
  read(sessionID: string, path: string, text: string): void {
    const { writer = null, state = 'known' } = this.of(sessionID).get(path) ?? {}
    const isWaiting = state === 'written' || state === 'formatted'
    this.#set(sessionID, {
      path,
      believed: text,
      text,
      calls: [],
      writer,
      state: isWaiting ? state : 'known',
    })
  }

  /**
   * Notes a call.
   *
   * @param believed what the model believes of the file after it
   * @param text what the file says after it
   */
  wrote(sessionID: string, call: DoneCall, believed: string | null, text: string): void {
    const { path, from } = call.file
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    const earlier = last && last.believed === call.before ? last.calls.slice(1 - MAX_CALLS) : []
    this.#set(sessionID, { path, believed, text, calls: [...earlier, call], writer: call, state: 'written' })
  }

  #set(sessionID: string, file: KnownFile): void {
    const files = this.of(sessionID)
    files.delete(file.path)
    files.set(file.path, file)
    for (const oldest of files.keys()) if (files.size > MAX_FILES) files.delete(oldest)
  }
}
