import { callHost, type Client } from '../../host/client.ts'
import type { Corrections } from './history-corrections.ts'
import type { SavedCalls } from './saved-calls.ts'

const ENDING_LIMIT_MS = 5_000
const ENDING_LOOK_MS = 100

/** The formatting that waits for the end of a session's turn. */
export class TurnEnds {
  readonly #client: Client
  readonly #corrections: Corrections
  /** By session, the formatting after its last turn. */
  readonly #work = new Map<string, Promise<void>>()

  constructor(client: Client, corrections: Corrections) {
    this.#client = client
    this.#corrections = corrections
  }

  /**
   * Formats what waits for the end of a turn, and has the session's history say so before it is read again. Of a turn
   * that a person ends the host tells twice: the second finds nothing to do, and ends no earlier than the first.
   */
  begin(sessionID: string, saved: SavedCalls): void {
    const earlier = this.#work.get(sessionID)
    const work = (async () => {
      await earlier
      if (!saved.hasTurnFiles(sessionID)) return
      await this.#messageEnded(sessionID)
      if (await saved.finishTurn(sessionID)) await this.#corrections.store(await this.#messagesOf(sessionID))
    })().finally(() => this.#work.get(sessionID) === work && this.#work.delete(sessionID))
    this.#work.set(sessionID, work)
  }

  /** Resolves once the files of a session's last turn are formatted. */
  async ofSession(sessionID: string): Promise<void> {
    await this.#work.get(sessionID)
  }

  /** Resolves once the files of all sessions' last turns are formatted. */
  async all(): Promise<void> {
    await Promise.all(this.#work.values())
  }

  /**
   * Waits until the host has ended a session's last message. Where a person ends the turn, the session is idle before
   * the host has taken its snapshot of the files.
   */
  async #messageEnded(sessionID: string): Promise<void> {
    const idleSince = Date.now()
    const isOpen = async () => {
      // A message of the next turn waits for this one.
      const last = (await this.#messagesOf(sessionID)).findLast(({ info }) =>
        info.role === 'assistant' && info.time.created <= idleSince
      )?.info
      return last?.role === 'assistant' && last.time.completed === undefined
    }
    while (await isOpen() && Date.now() < idleSince + ENDING_LIMIT_MS) {
      await new Promise((resolve) => setTimeout(resolve, ENDING_LOOK_MS))
    }
  }

  async #messagesOf(sessionID: string) {
    return (await callHost(() => this.#client.session.messages({ path: { id: sessionID } }))).data ?? []
  }
}
