import { resolve } from 'node:path'
import { LruMap } from '../../files/lru-map.ts'
import { filesOfCall, WRITING_TOOLS } from '../../host/file-tools.ts'
import type { Part } from './history-corrections.ts'

/** A call as the session's history has it now. */
export type PastCall = { callID: string; tool: string; input: Record<string, unknown> }

/** The files that one session's model was shown, and its calls that wrote files, in their order. */
type Shown = { paths: Set<string>; calls: Array<PastCall> }

const SESSIONS_KEPT = 50

/**
 * Remembers which files each session's model was shown, in a read or by its own calls, and still has in front of it.
 */
export class FilesInContext {
  readonly #directory: string
  readonly #sessions = new LruMap<string, Shown>(SESSIONS_KEPT)

  constructor(directory: string) {
    this.#directory = directory
  }

  #add(shown: Shown, past: PastCall): void {
    const files = filesOfCall(past.tool, past.input)
    for (const file of files) shown.paths.add(resolve(this.#directory, file))
    if (files.length > 0 && WRITING_TOOLS.has(past.tool)) shown.calls.push(past)
  }

  /** Takes the messages of a request in place of all that was known of the session. */
  see(sessionID: string, messages: Array<{ parts: Array<Part> }>): void {
    const shown: Shown = { paths: new Set(), calls: [] }
    for (const { parts } of messages) {
      for (const part of parts) {
        if (part.type !== 'tool' || part.state.status !== 'completed') continue
        this.#add(shown, { callID: part.callID, tool: part.tool, input: part.state.input })
      }
    }
    this.#sessions.set(sessionID, shown)
  }

  /** Adds a call that has ended since the model was asked. */
  add(sessionID: string, past: PastCall): void {
    const shown = this.#sessions.get(sessionID) ?? { paths: new Set(), calls: [] }
    this.#add(shown, past)
    this.#sessions.set(sessionID, shown)
  }

  /** Replaces the arguments of a call by corrected ones. */
  correct(sessionID: string, past: PastCall, input: Record<string, unknown>): void {
    const calls = this.#sessions.get(sessionID)?.calls ?? []
    const at = calls.indexOf(past)
    if (at >= 0) calls[at] = { ...past, input }
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
}
