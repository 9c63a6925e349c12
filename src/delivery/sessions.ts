import type { Said, Stamp } from './history.ts'
import type { SessionRules } from './session-rules.ts'
import type { Berth } from './silent-message.ts'

/** What delivery knows of one session. */
export type Session = {
  id: string
  /** When it was created, in milliseconds; unknown for one that this run of the host did not create. */
  created?: number
  /** What its creation said of agent and model. */
  born?: Stamp
  /** The newest message to it. */
  said?: Said
  rules?: Promise<SessionRules>
  /** Whether it is in the tracking set: it has received its rules (rule-discovery.md, Silent Message Rule Injection). */
  tracked: boolean
  /** Where its silent message is or is to be stored. */
  berth?: Berth
  /** When the silent message was sent, and what it was stamped with. */
  sent?: { at: number; stamp: Stamp }
  /** Whether a delivery failed, or was put off, since the last one that did not. */
  owed: boolean
  /** Whether the next history that the host hands over is the one to be summed up. */
  summing: boolean
  /** The deliveries under way, one after the other. */
  work: Promise<void>
}

// What falls out is found again in the session's history.
const MOST_SESSIONS = 1_000

/** The sessions that are under way; the one that was silent for longest makes room when there are too many. */
export class Sessions {
  readonly #known = new Map<string, Session>()

  get(id: string): Session {
    const session = this.#known.get(id)
      ?? { id, tracked: false, owed: false, summing: false, work: Promise.resolve() }
    this.#known.delete(id)
    this.#known.set(id, session)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_SESSIONS && oldest !== undefined) this.#known.delete(oldest)
    return session
  }

  forget(id: string): void {
    this.#known.delete(id)
  }
}
