import { LruMap } from '../files/lru-map.ts'
import type { MessageSlot } from './hidden-message.ts'
import type { AgentAndModel, UserMessage } from './history.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import type { Told } from './told.ts'
import type { TouchedFiles } from './touched-files.ts'

/**
 * How far the delivery to a session has come. `delivered` is the tracking set of rule-discovery.md (Silent Message
 * Rule Injection).
 *
 * | event                    | new, unreadable                  | waiting, failed            | delivered                |
 * | ------------------------ | -------------------------------- | -------------------------- | ------------------------ |
 * | created                  | reads the history, then as right | sent                       | nothing                  |
 * | a user message           | reads the history, then as right | sent with its agent        | sent again if the first  |
 * |                          |                                  |                            | message has another one  |
 * | compacted                | reads the history, then as right | renewed and sent           | renewed and sent         |
 * | a request                | reads the history it is for      | told, sent where there are | told, stored where it    |
 * |                          |                                  | rules by now               | has changed              |
 *
 * What was sent is `delivered`, or `failed` where the host did not take it; without a known agent and model, or
 * without a rule, it goes on `waiting`. A history that cannot be read leads to `unreadable` and never counts as empty:
 * its session may have its rules, and is sent none.
 */
export type DeliveryState =
  | { is: 'new' }
  | { is: 'unreadable' }
  | { is: 'waiting'; told: Told }
  | { is: 'failed'; told: Told }
  | { is: 'delivered'; told: Told; sent?: { at: number; agentAndModel: AgentAndModel } }

/** What delivery knows of one session. */
export type Session = {
  id: string
  state: DeliveryState
  /** When it was created, in milliseconds, and with which agent and model, where its creation said so. */
  created?: number
  createdWith?: AgentAndModel
  lastUserMessage?: UserMessage
  /** Whether a model was asked anything in it: what was told before that was never read. */
  hasAsked: boolean
  /** Whether the next history that the host hands over is the one to be summed up. */
  isCompacting: boolean
  touched: TouchedFiles
  /** What it was told when nothing was new to it any more: while these are the same, nothing is. */
  upToDate?: { onDisk: RulesOnDisk; told: Told; files: ReadonlyArray<string> }
  /** What its hidden message shows to the person. */
  shownRules?: RulesOnDisk
  /** Where its hidden message is or is to be stored. */
  slot?: MessageSlot
  /** The paths of the rules that the last request held; all of them before the first. */
  held?: ReadonlySet<string>
  /** The reading of its history under way. */
  opening?: Promise<boolean>
  /** The deliveries under way, one after the other; whether one is queued that stores what is told by then. */
  work: Promise<void>
  isStoreQueued: boolean
}

/** What a session was told, where its history is known. */
export const toldOf = ({ state }: Session): Told | undefined => ('told' in state ? state.told : undefined)

export const isDelivered = ({ state }: Session): boolean => state.is === 'delivered'

// What falls out is found again in the session's history.
const MAX_SESSIONS = 1_000

/** The sessions that are under way; the one that was silent for longest makes room when there are too many. */
export class Sessions {
  readonly #known = new LruMap<string, Session>(MAX_SESSIONS)
  readonly #touched: () => TouchedFiles

  /** @param touched makes the record of a new session's files */
  constructor(touched: () => TouchedFiles) {
    this.#touched = touched
  }

  get(id: string): Session {
    const known = this.#known.get(id)
    if (known) return known
    const session: Session = {
      id,
      state: { is: 'new' },
      hasAsked: false,
      isCompacting: false,
      touched: this.#touched(),
      work: Promise.resolve(),
      isStoreQueued: false,
    }
    this.#known.set(id, session)
    return session
  }

  forget(id: string): void {
    this.#known.delete(id)
  }
}
