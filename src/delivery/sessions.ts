import { LruMap } from '../text/lru-map.ts'
import { type AgentAndModel, lastUserMessageOf, type UserMessage } from './agent-and-model.ts'
import { type MessageSlot, slotAt, storedMessageIn } from './hidden-message.ts'
import { hasAnswer, type History, lastCompactionOf } from './history.ts'
import type { Rule } from './rule-files.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { begin, type Told } from './told.ts'
import type { TouchedFiles } from './touched-files.ts'

/**
 * The state of the delivery to a session, and what each event does to it. The sessions that are `delivered` are the
 * tracking set of rule-discovery.md (Silent Message Rule Injection).
 *
 * | event                    | new, unreadable                  | waiting, failed            | delivered                |
 * | ------------------------ | -------------------------------- | -------------------------- | ------------------------ |
 * | created                  | reads the history, then see right | sent                       | nothing                  |
 * | a user message           | reads the history, then see right | sent with its agent        | sent again if the first  |
 * |                          |                                  |                            | message has another one  |
 * | compacted                | reads the history, then see right | renewed and sent           | renewed and sent         |
 * | a request                | reads the history it is for      | told, sent where there are | told, stored where it    |
 * |                          |                                  | rules by now               | has changed              |
 *
 * A message that was sent leads to `delivered`, or to `failed` where the host did not take it. Without a known agent and
 * model, or without a rule, nothing is sent, and the state stays `waiting`. A history that cannot be read leads to
 * `unreadable`: its session may have a hidden message, and no other is sent.
 */
type DeliveryState =
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
  /** Whether a model was asked anything in it. Before that, nothing that it was told was read. */
  hasAsked: boolean
  /** Whether the next history that the host hands over is the one to be summed up. */
  isCompacting: boolean
  touched: TouchedFiles
  /** What it was compared with last: while these are the same objects, nothing is new to it. */
  upToDate?: { onDisk: RulesOnDisk; told: Told; files: ReadonlyArray<string> }
  /** The rules that its hidden message shows to the person. */
  shownRules?: RulesOnDisk
  /** Where its hidden message is or is to be stored. */
  slot?: MessageSlot
  /** The paths of the rules that the last request had; undefined before the first. */
  held?: ReadonlySet<string>
  /** The id of the first message that the person undid, while they may still redo it. */
  undoneFrom: string | undefined
  /** The reading of its history, while it is under way. */
  opening?: Promise<boolean>
  /** Resolves when all that is queued for it is done. */
  work: Promise<void>
  /** Whether a store of what it is told is queued. */
  isStoreQueued: boolean
}

/** Gives what a session was told; undefined where its history was not or cannot be read. */
export const toldOf = ({ state }: Session): Told | undefined => ('told' in state ? state.told : undefined)

/** Whether a session has its hidden message. */
export const isDelivered = ({ state }: Session): boolean => state.is === 'delivered'

/**
 * Opens a session by its whole history: sets what that says of its files, its newest message, its hidden message, and
 * of what it was told.
 *
 * @param rules what it is told first where its history has no hidden message
 * @returns what it was told
 */
export const openByHistory = (session: Session, history: History, rules: Array<Rule>): Told => {
  const stored = storedMessageIn(history)
  session.touched.update(history)
  if (lastCompactionOf(history) !== null) session.touched.sumUp()
  session.hasAsked = hasAnswer(history)
  const newest = lastUserMessageOf(history)
  if (newest && newest.created >= (session.lastUserMessage?.created ?? 0)) session.lastUserMessage = newest
  const times = [session.created, history[0]?.info.time.created].filter((time) => time !== undefined)
  const slot = stored?.slot ?? (times.length > 0 ? slotAt(Math.min(...times)) : undefined)
  if (slot) session.slot = slot
  const told = stored?.told ?? begin(rules)
  session.state = { is: stored?.told ? 'delivered' : stored ? 'failed' : 'waiting', told }
  return told
}

// A session that is forgotten is read from its history again.
const MAX_SESSIONS = 1_000

/** The sessions that are remembered; one more forgets the one that was silent for longest. */
export class Sessions {
  readonly #known = new LruMap<string, Session>(MAX_SESSIONS)
  readonly #touched: () => TouchedFiles

  /** @param touched makes the record of a new session's files */
  constructor(touched: () => TouchedFiles) {
    this.#touched = touched
  }

  /** Gives a session, a new one where it is not known. */
  get(id: string): Session {
    const known = this.#known.get(id)
    if (known) return known
    const session: Session = {
      id,
      state: { is: 'new' },
      hasAsked: false,
      isCompacting: false,
      undoneFrom: undefined,
      touched: this.#touched(),
      work: Promise.resolve(),
      isStoreQueued: false,
    }
    this.#known.set(id, session)
    return session
  }

  /** Drops a session. */
  forget(id: string): void {
    this.#known.delete(id)
  }
}
