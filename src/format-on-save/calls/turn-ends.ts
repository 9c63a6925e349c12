import { callHost, type Client } from '../../host/client.ts'
import type { Corrections } from './history-corrections.ts'
import type { WritingCalls } from './writing-calls.ts'

const ENDING_LIMIT_MS = 5_000
const ENDING_LOOK_MS = 100

/** Formats the files that wait for the end of a session's turn. */
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
   * Formats the files that wait for the end of a turn, and stores what the session's calls then say. Where a person
   * ends a turn the host tells of its end twice: the second time nothing is left to format, and its work ends after
   * that of the first.
   */
  begin(sessionID: string, writing: WritingCalls): void {
    const earlier = this.#work.get(sessionID)
    const work = (async () => {
      await earlier
      if (!writing.hasTurnFiles(sessionID)) return
      await this.#messageEnded(sessionID)
      if (await writing.finishTurn(sessionID)) {
        await this.#corrections.store(await this.#messagesOf(sessionID))
      }
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
      // Only messages from before the end count: one of the next turn waits for this formatting.
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
