import { within } from '../safe.ts'
import { ok } from '../safe.ts'
import { type AgentAndModel, isSameAgentAndModel, type UserMessage } from './agent-and-model.ts'
import { describeTold } from './debug-log.ts'
import { HiddenMessageQueue, type HiddenMessageQueueInput } from './hidden-message-queue.ts'
import { historyOf } from './hidden-message.ts'
import {
  type EntryPart,
  hasAnswer,
  type History,
  type HistoryPlace,
  lastCompactionOf,
  mayGetTitle,
} from './history.ts'
import { hasRules, type RulesOnDisk } from './rules-on-disk.ts'
import { isDelivered, openByHistory, type Session, Sessions, toldOf } from './sessions.ts'
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

// How long a person waits at most where a disk or the host is slow.
const PATIENCE_MS = 10_000

/** What the delivery of one instance of the host works with. */
type DeliveryInput = HiddenMessageQueueInput & {
  /** Logs what was sent to which session and why, where the person asked for it. */
  debug: (line: string) => void
  /** Lists the files, relative to the worktree, that a part of a message is about. */
  filesOf: (part: EntryPart) => Array<string>
}

/**
 * Brings rules to sessions. What a model reads is put into each of its requests, in memory: it comes in time, and once.
 * The hidden message, which no model sees, remembers for a session what it was told. It is stored at the beginning of
 * the history, since the newest message decides the agent and ends a turn.
 *
 * The states of a session, and what each event does to them, are in `sessions.ts`.
 */
export class Delivery {
  readonly #input: DeliveryInput
  readonly #messages: HiddenMessageQueue
  readonly #sessions: Sessions

  constructor(input: DeliveryInput) {
    this.#input = input
    this.#messages = new HiddenMessageQueue(input)
    this.#sessions = new Sessions(() => new TouchedFiles(input.filesOf))
  }

  /** Sends a session that was created its rules. `createdWith` is its agent and model, where the event says so. */
  async created(
    id: string,
    created: number | undefined,
    createdWith: AgentAndModel | undefined,
  ): Promise<void> {
    const session = this.#sessions.get(id)
    if (createdWith) session.createdWith = createdWith
    if (created !== undefined) session.created = created
    await this.#messages.queue(session, async () => {
      // The history of a fork has a hidden message already.
      if ((await this.#open(session)) && !isDelivered(session)) await this.#messages.send(session)
    })
  }

  /** Sends a session that was compacted its rules again. */
  async compacted(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    // Where nothing was said since the last compaction the host hands over no history, and `present` did not reset this.
    session.isCompacting = false
    await this.#messages.queue(session, async () => {
      if (!(await this.#open(session))) return
      const { rules } = await this.#input.readRules(true)
      const whole = await historyOf(this.#input.client, id)
      const told = toldOf(session)
      if (!told) return
      const compaction = whole.error === null ? lastCompactionOf(whole.data) : null
      // A request that was faster than this event has renewed the rules already.
      if (compaction === null || compaction !== told.compaction) {
        this.#renew(session, rules, compaction ?? told.compaction)
      }
      await this.#messages.send(session)
    })
  }

  /** Shows the person which rules the next request holds, where messages are undone from one on, or come back. */
  async undone(id: string, messageID: string | undefined): Promise<void> {
    const session = this.#sessions.get(id)
    if (session.undoneFrom === messageID) return
    session.undoneFrom = messageID
    await this.#messages.queue(session, async () => {
      if ((await this.#open(session)) && isDelivered(session)) await this.#messages.storeHeld(session)
    })
  }

  /** Forgets a session that was deleted. */
  deleted(id: string): void {
    this.#sessions.forget(id)
  }

  /** Gives the time that the hidden message of a session must have to stand first in its history. */
  timeOf(id: string): number | undefined {
    return this.#sessions.get(id).slot?.created
  }

  /**
   * Brings a session's rules up to date when the person says something; the person's message waits for that. A hidden
   * message that was sent before or with the first words is sent again if these have another agent or model. What
   * changed in the rules until now is told before these words, and what changes later behind them.
   */
  async received(id: string, message: UserMessage): Promise<void> {
    const session = this.#sessions.get(id)
    const isFirst = session.lastUserMessage === undefined
    session.lastUserMessage = message
    session.isCompacting = false
    const work = this.#messages.queue(session, async () => {
      if (!(await this.#open(session))) return
      const { state } = session
      const sent = state.is === 'delivered' ? state.sent : undefined
      const isLate = sent !== undefined && (isFirst || sent.at >= message.created)
      const isOther = isLate && !isSameAgentAndModel(sent.agentAndModel, message.agentAndModel)
      if (state.is !== 'delivered' || isOther) await this.#messages.send(session)
      if (!session.hasAsked) return
      const end: HistoryPlace = { role: 'user', created: message.created, side: 'before' }
      const onDisk = await this.#input.readRules(false)
      this.#tell(session, onDisk, { end, ofFile: () => undefined })
    })
    await within(PATIENCE_MS, work)
  }

  /** Notes that the next history of the session that `present` gets is for its summary. */
  compacting(id: string): void {
    this.#sessions.get(id).isCompacting = true
  }

  /** Puts the rules of a session into the history of a request, in place. */
  async present(history: History): Promise<void> {
    const id = history[0]?.info.sessionID
    if (id === undefined) return
    const session = this.#sessions.get(id)
    if (session.isCompacting) {
      session.isCompacting = false
      // The files of the last step are in this history alone: the next one has a summary in its place.
      if (toldOf(session)) session.touched.update(history)
      return
    }
    const opened = await within(PATIENCE_MS, this.#open(session, history))
    const onDisk = await within(PATIENCE_MS, this.#input.readRules(false))
    if (onDisk.error !== null) return this.#messages.failed(session, onDisk.error)
    const told = opened.data === true
      ? this.#tellRequest(session, history, onDisk.data)
      : tellAnew(history, { ...onDisk.data, touched: session.touched })
    // The host makes a session's title from the very list that this hook changes. It has started that work, whose first
    // step copies the messages: a task that is queued now runs after it.
    if (mayGetTitle(history)) await new Promise((resolve) => setImmediate(resolve))
    session.held = insertTold(history, told)
  }

  /**
   * Reads from a session's history what it was told, where that is not known yet; gives false where it cannot be read.
   *
   * @param shown the history of a request, which is not the whole one after a compaction
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
    const told = openByHistory(session, history.data, rules)
    for (const line of describeTold(session.id, undefined, told)) this.#input.debug(line)
    return true
  }

  /** Brings what a session is told up to date for the request of this history, and gives it. */
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
    // The person is also shown the rules that wait or are left out, and these may have changed.
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
