import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, WRITING_TOOLS } from '../../host/file-tools.ts'
import { safe } from '../../safe.ts'
import { LruMap } from '../../text/lru-map.ts'
import type { PastCall } from './call.ts'
import type { Part } from './history-corrections.ts'

/**
 * The files that one session's model was shown, its calls that wrote files, in their order, and its last call of any
 * tool. `read` has, of each file that was read or attached, how many of those calls were over by then.
 */
type Shown = {
  paths: Set<string>
  calls: Array<PastCall>
  last: PastCall | null
  read: Map<string, number>
}

const SESSIONS_KEPT = 50

const none = (): Shown => ({ paths: new Set(), calls: [], last: null, read: new Map() })

/** Gives the path of a file that a person attached; null for any other part. */
const attachedFile = (part: Part): string | null => {
  if (part.type !== 'file' || !part.url.startsWith('file:///')) return null
  const { data } = safe(() => fileURLToPath(part.url))
  return data
}

/**
 * Remembers which files each session's model was shown, in a read, as an attachment or by its own calls, and still has
 * in front of it.
 */
export class FilesInContext {
  readonly #directory: string
  readonly #sessions = new LruMap<string, Shown>(SESSIONS_KEPT)

  constructor(directory: string) {
    this.#directory = directory
  }

  #add(shown: Shown, past: PastCall): void {
    const files = filesOfCall(past.tool, past.input).map((file) => resolve(this.#directory, file))
    for (const file of files) shown.paths.add(file)
    if (files.length > 0 && WRITING_TOOLS.has(past.tool)) shown.calls.push(past)
    else for (const file of files) shown.read.set(file, shown.calls.length)
    shown.last = past
  }

  /** Takes the messages of a request in place of all that was known of the session. */
  see(sessionID: string, messages: Array<{ parts: Array<Part> }>): void {
    const shown = none()
    for (const { parts } of messages) {
      for (const part of parts) {
        const attached = attachedFile(part)
        if (attached !== null) {
          shown.paths.add(attached)
          shown.read.set(attached, shown.calls.length)
        }
        if (part.type !== 'tool' || part.state.status !== 'completed') continue
        this.#add(shown, { callID: part.callID, tool: part.tool, input: part.state.input })
      }
    }
    this.#sessions.set(sessionID, shown)
  }

  /** Adds a call that has ended since the model was asked. */
  add(sessionID: string, past: PastCall): void {
    const shown = this.#sessions.get(sessionID) ?? none()
    this.#add(shown, past)
    this.#sessions.set(sessionID, shown)
  }

  /** Replaces the arguments of a call by corrected ones. */
  correct(sessionID: string, past: PastCall, input: Record<string, unknown>): void {
    const shown = this.#sessions.get(sessionID)
    const at = shown?.calls.indexOf(past) ?? -1
    if (!shown || at < 0) return
    const now = { ...past, input }
    shown.calls[at] = now
    if (shown.last === past) shown.last = now
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Every file that a session was shown. */
  get paths(): Set<string> {
    return new Set([...this.#sessions.values()].flatMap(({ paths }) => [...paths]))
  }

  /** The sessions that were shown a file. */
  sessionsWith(path: string): Array<string> {
    return [...this.#sessions.keys()].filter((id) => this.#sessions.get(id)?.paths.has(path))
  }

  /** The calls by which a session wrote files. */
  callsOf(sessionID: string): Array<PastCall> {
    return this.#sessions.get(sessionID)?.calls ?? []
  }

  /** Those of them that were over when the session last read a file: it then saw what they had made. */
  callsBeforeRead(sessionID: string, path: string): Set<PastCall> {
    const shown = this.#sessions.get(sessionID)
    return new Set(shown?.calls.slice(0, shown.read.get(path) ?? 0))
  }

  /** The last call of a session, of any tool: what is told behind it comes after all that the session was shown. */
  lastCallOf(sessionID: string): PastCall | null {
    return this.#sessions.get(sessionID)?.last ?? null
  }
}
