import { within } from '../host/client.ts'
import { ok } from '../safe.ts'
import { historyOf, slotAt, storedMessageIn } from './hidden-message.ts'
import { HiddenMessages, type HiddenMessagesInput } from './hidden-messages.ts'
import {
  type AgentAndModel,
  type EntryPart,
  hasAnswer,
  type History,
  type HistoryPlace,
  isSameAgentAndModel,
  lastCompactionOf,
  lastUserMessageOf,
  mayGetTitle,
  type UserMessage,
} from './history.ts'
import { hasRules, type RulesOnDisk } from './rules-on-disk.ts'
import { isDelivered, type Session, Sessions, toldOf } from './sessions.ts'
import { describeTold } from './told-log.ts'
import {
  begin,
  insertTold,
  type NoticePlaces,
  placesIn,
  renew,
  tell,
  tellAnew,
  type Told,
  withoutUndone,
} from './told.ts'
import { TouchedFiles } from './touched-files.ts'

// What a person waits for at most, where a disk or the host is slow.
const PATIENCE_MS = 10_000

export type DeliveryInput = HiddenMessagesInput & {
  /** Tells, where the person asked for it, what was sent to which session and why. */
  debug: (line: string) => void
  /** The files, relative to the worktree, that a part of a message is about. */
  filesOf: (part: EntryPart) => Array<string>
}

/**
 * Rules → sessions. What a model reads is put into each of its requests, in memory, where nothing can overtake or
 * double it. The hidden message is the session's memory of what it was told: it is stored at the beginning of the
 * history, hidden from the model, so that it is never the newest one, which decides the agent and ends a turn.
 *
 * The states of a session, and what leads from one to the other, stand in `sessions.ts`.
 */
export class Delivery {
  readonly #input: DeliveryInput
  readonly #messages: HiddenMessages
  readonly #sessions: Sessions

  constructor(input: DeliveryInput) {
    this.#input = input
    this.#messages = new HiddenMessages(input)
    this.#sessions = new Sessions(() => new TouchedFiles(input.filesOf))
  }

  /** A session was created, with an agent and a model where its creation says so. */
  async created(
    id: string,
    created: number | undefined,
    createdWith: AgentAndModel | undefined,
  ): Promise<void> {
    const session = this.#sessions.get(id)
    if (createdWith) session.createdWith = createdWith
    if (created !== undefined) session.created = created
    await this.#messages.queue(session, async () => {
      // A fork brings along what its origin was told.
      if ((await this.#open(session)) && !isDelivered(session)) await this.#messages.send(session)
    })
  }

  /** A session was compacted: it has its rules sent again. */
  async compacted(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    // The host hands over no history to be summed up where nothing was said since the last compaction.
    session.isCompacting = false
    await this.#messages.queue(session, async () => {
      if (!(await this.#open(session))) return
      const { rules } = await this.#input.readRules(true)
      const whole = await historyOf(this.#input.client, id)
      const told = toldOf(session)
      if (!told) return
      const compaction = whole.error === null ? lastCompactionOf(whole.data) : null
      // The request that followed may have been faster than this event.
      if (compaction === null || compaction !== told.compaction) {
        this.#renew(session, rules, compaction ?? told.compaction)
      }
      await this.#messages.send(session)
    })
  }

  ended(id: string): void {
    this.#sessions.forget(id)
  }

  /** When the hidden message of a session was made, as its place in the history asks for. */
  timeOf(id: string): number | undefined {
    return this.#sessions.get(id).slot?.created
  }

  /**
   * The person says something: it waits for a delivery under way. A hidden message that was sent before anybody knew
   * the agent and model of the session, or at the same time, takes on those of the person's message. What changed in
   * the rules by now stands before these words, and what changes later behind them.
   */
  async said(id: string, message: UserMessage): Promise<void> {
    const session = this.#sessions.get(id)
    const isFirst = session.lastUserMessage === undefined
    session.lastUserMessage = message
    session.isCompacting = false
    const work = this.#messages.queue(session, async () => {
      if (!(await this.#open(session))) return
      const { state } = session
      if (state.is === 'delivered') {
        const { sent } = state
        const isLate = sent !== undefined && (isFirst || sent.at >= message.created)
        if (isLate && !isSameAgentAndModel(sent.agentAndModel, message.agentAndModel)) {
          await this.#messages.send(session)
        }
      } else await this.#messages.send(session)
      if (!session.hasAsked) return
      const end: HistoryPlace = { role: 'user', created: message.created, side: 'before' }
      const onDisk = await this.#input.readRules(false)
      this.#tell(session, onDisk, { end, ofFile: () => undefined })
    })
    await within(PATIENCE_MS, work)
  }

  /** The next history of the session is handed over to be summed up. */
  compacting(id: string): void {
    this.#sessions.get(id).isCompacting = true
  }

  /** Puts the rules of a session in front of the model, for the request that this history is for. */
  async present(history: History): Promise<void> {
    const id = history[0]?.info.sessionID
    if (id === undefined) return
    const session = this.#sessions.get(id)
    if (session.isCompacting) {
      session.isCompacting = false
      // What was touched by the last step is in no request before it is summed up.
      if (toldOf(session)) session.touched.update(history)
      return
    }
    const opened = await within(PATIENCE_MS, this.#open(session, history))
    const onDisk = await within(PATIENCE_MS, this.#input.readRules(false))
    if (onDisk.error !== null) return this.#messages.failed(session, onDisk.error)
    const told = opened.data === true
      ? this.#tellRequest(session, history, onDisk.data)
      : tellAnew(history, { ...onDisk.data, touched: session.touched })
    // The host makes a session's title from the very list that it hands over with the first request: it forks that
    // work before this hook, whose first step takes the messages. A task that is queued now comes after it.
    if (mayGetTitle(history)) await new Promise((resolve) => setImmediate(resolve))
    session.held = insertTold(history, told)
  }

  /**
   * Finds what a session was told, where that is not known yet; false where its history cannot be read.
   *
   * @param shown the history that the host hands over, which lacks what stands before a compaction
   */
  #open(session: Session, shown?: History): Promise<boolean> {
    if (toldOf(session)) return Promise.resolve(true)
    session.opening ??= this.#read(session, shown).finally(() => delete session.opening)
    return session.opening
  }

  async #read(session: Session, shown: History | undefined): Promise<boolean> {
    const { client, readRules } = this.#input
    const { rules } = await readRules(true)
    const isWhole = shown !== undefined && lastCompactionOf(shown) === null
    const history = isWhole ? ok(shown) : await historyOf(client, session.id)
    if (history.error !== null) {
      session.state = { is: 'unreadable' }
      this.#messages.failed(session, `its history could not be read: ${history.error}`)
      return false
    }
    const stored = storedMessageIn(history.data)
    session.touched.update(history.data)
    if (lastCompactionOf(history.data) !== null) session.touched.sumUp()
    session.hasAsked = hasAnswer(history.data)
    const newest = lastUserMessageOf(history.data)
    if (newest && newest.created >= (session.lastUserMessage?.created ?? 0)) session.lastUserMessage = newest
    const times = [session.created, history.data[0]?.info.time.created].filter((time) => time !== undefined)
    const slot = stored?.slot ?? (times.length > 0 ? slotAt(Math.min(...times)) : undefined)
    if (slot) session.slot = slot
    const told = stored?.told ?? begin(rules)
    session.state = { is: stored?.told ? 'delivered' : stored ? 'failed' : 'waiting', told }
    for (const line of describeTold(session.id, undefined, told)) this.#input.debug(line)
    return true
  }

  /** What a session is told for the request that a history is for. */
  #tellRequest(session: Session, history: History, onDisk: RulesOnDisk): Told {
    const { touched } = session
    const compaction = lastCompactionOf(history)
    const known = toldOf(session)
    if (!hasAnswer(history) && compaction === null) {
      touched.clear()
      this.#setTold(session, begin(onDisk.rules), onDisk)
    } else if (known && compaction !== known.compaction) {
      if (compaction === null) touched.clear()
      this.#renew(session, onDisk.rules, compaction)
      this.#messages.queueStore(session)
    }
    session.hasAsked = true
    touched.update(history)
    const told = toldOf(session) ?? begin(onDisk.rules)
    this.#setTold(session, withoutUndone(told, history), onDisk)
    this.#tell(session, onDisk, placesIn(history, touched))
    return toldOf(session) ?? told
  }

  #tell(session: Session, onDisk: RulesOnDisk, places: NoticePlaces): void {
    const told = toldOf(session)
    const { touched, upToDate } = session
    if (!told) return
    if (upToDate?.onDisk === onDisk && upToDate.told === told && upToDate.files === touched.files) return
    const { rules, sentByHost } = onDisk
    this.#setTold(session, tell(told, { rules, sentByHost, touched }, places), onDisk)
    session.upToDate = { onDisk, told: toldOf(session) ?? told, files: touched.files }
    // Rules that wait, or that are left out, are shown to the person, too.
    const isShown = session.shownRules === onDisk
    if (!isShown && (isDelivered(session) || hasRules(onDisk))) this.#messages.queueStore(session)
  }

  #renew(session: Session, rules: RulesOnDisk['rules'], compaction: number | null): void {
    const { state } = session
    if (!('told' in state)) return
    const told = renew(state.told, rules, session.touched, compaction)
    for (const line of describeTold(session.id, undefined, told)) this.#input.debug(line)
    state.told = told
    session.touched.sumUp()
    delete session.held
  }

  #setTold(session: Session, told: Told, onDisk: RulesOnDisk): void {
    const { state } = session
    if (!('told' in state) || state.told === told) return
    if (JSON.stringify(state.told) === JSON.stringify(told)) return
    for (const line of describeTold(session.id, state.told, told)) this.#input.debug(line)
    state.told = told
    delete session.held
    if (state.is === 'delivered' || hasRules(onDisk)) this.#messages.queueStore(session)
  }
}
