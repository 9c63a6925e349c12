import type { Client } from '../host/client.ts'
import type { Log } from '../host/log.ts'
import { type Panel, sessionRules } from '../host/panel-schema.ts'
import { type Result, within } from '../safe.ts'
import { LruMap } from '../text/lru-map.ts'
import { refusalFor } from './before-write.ts'
import {
  type AgentAndModel,
  type Entry,
  type History,
  historyOf,
  lastAgentAndModelOf,
  lastCompactionOf,
} from './history.ts'
import { panelOf, storedPath } from './panel-data.ts'
import { formatRules, inForceOf, insertRules, rulesInRequest } from './rules-in-request.ts'
import { hasRules, type RulesOnDisk } from './rules-on-disk.ts'
import { newSession, type Session, touchedBefore, TouchedFiles } from './session.ts'
import { type SessionPlaces, touchedFiles } from './touched-files.ts'

/** What the delivery of one instance of the host works with. */
export type DeliveryInput = {
  client: Client
  log: Log
  /** Logs what was sent to which session and why, where the person asked for it. */
  debug: (line: string) => void
  places: SessionPlaces
  /** Reads the rules that are the sessions' to have now, and where it `isFresh`, what the host sends by itself. */
  readRules: (isFresh: boolean) => Promise<Result<RulesOnDisk>>
  /** Gives the agent and model for a session that nothing is known of; `undefined` where none is right. */
  defaultAgentAndModel: () => AgentAndModel | undefined
  /** The name of the agent that a session has if nobody chose one. */
  defaultAgent: () => string
}

// How long a person's message waits at most for the hidden one.
const PATIENCE_MS = 10_000

// A dropped session is read from its history again.
const MAX_SESSIONS = 1_000

const NO_RULE = 'No rule of the project applies to this session yet.'

/** What is known when a hidden message is sent: what the person said it with, or else what the session was created with. */
type Occasion = { isAgain?: boolean; said?: AgentAndModel; createdWith?: AgentAndModel }

/**
 * Brings rules to sessions: injects them into each request, and stores the hidden message for the panel. No model sees
 * that message, and nothing that a request holds is decided by it.
 */
export class Delivery {
  readonly #input: DeliveryInput
  readonly #sessions = new LruMap<string, Session>(MAX_SESSIONS)

  constructor(input: DeliveryInput) {
    this.#input = input
  }

  /** Sends the hidden message of a session that was created; `createdWith` is its agent and model, where they are known. */
  async created(id: string, createdWith: AgentAndModel): Promise<void> {
    const session = this.#session(id)
    const isKnown = createdWith.agent !== undefined || createdWith.model !== undefined
    await this.#queue(session, () => this.#send(session, isKnown ? { createdWith } : {}))
  }

  /** Sends the hidden message of a session that was compacted again. */
  async compacted(id: string): Promise<void> {
    const session = this.#session(id)
    // Without a new message since the last compaction the host passes no history to summarise.
    session.isCompacting = false
    await this.#queue(session, () => this.#send(session, { isAgain: true }))
  }

  /** Updates the panel to the rules of the next request, after an undo from a message on, or a redo. */
  async undone(id: string, messageID: string | undefined): Promise<void> {
    const session = this.#session(id)
    if (session.undoneFrom === messageID) return
    session.undoneFrom = messageID
    await this.#queue(session, async () => {
      const history = await historyOf(this.#input.client, id)
      const onDisk = await this.#input.readRules(true)
      if (history.error !== null || onDisk.error !== null) return
      await this.#store(session, this.#contentOf(session, onDisk.data, history.data).panel)
    })
  }

  /** Forgets a session that was deleted. */
  deleted(id: string): void {
    this.#sessions.delete(id)
  }

  /**
   * Sends the hidden message, if the session has none, before the person's message is stored. A message that was sent
   * before the person's first is sent again if that has another agent or model.
   */
  async received(id: string, said: AgentAndModel): Promise<void> {
    const session = this.#session(id)
    session.isCompacting = false
    const work = this.#queue(session, async () => {
      await this.#send(session, { said })
      if (session.hidden.wasEarlyFor(said)) await this.#send(session, { said, isAgain: true })
    })
    await within(PATIENCE_MS, work)
  }

  /** Notes that the next history of the session that `present` gets is for its summary. */
  compacting(id: string): void {
    this.#session(id).isCompacting = true
  }

  /** Injects the rules of a session into the history of a request, in place. */
  async present(history: History): Promise<void> {
    const id = history[0]?.info.sessionID
    if (id === undefined) return
    const session = this.#session(id)
    const { isCompacting, hidden } = session
    session.isCompacting = false
    if (isCompacting) return
    const onDisk = await this.#input.readRules(false)
    if (onDisk.error !== null) return this.#failed(session, onDisk.error)
    hidden.find(history)
    const agent = this.#agentOf(lastAgentAndModelOf(history))
    const touched = session.touched.read(history, await this.#filesBefore(session, history))
    const placed = rulesInRequest(onDisk.data.rules, touched, agent)
    session.request = { agent, shown: new Set(inForceOf(placed).map(({ rule }) => rule.path)) }
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed)
    const panel = panelOf(onDisk.data, placed, { worktree: this.#input.places.real.worktree, agent })
    if (hidden.shows(panel) || !(hidden.isThere || hasRules(onDisk.data))) return
    void this.#queue(session, () => this.#store(session, panel))
  }

  /** Refuses a call that adds a file whose rules the session's model was not shown; gives the answer, or null. */
  refusal(id: string, tool: string, args: unknown): Promise<string | null> {
    return refusalFor(this.#session(id), tool, args, this.#input)
  }

  #session(id: string): Session {
    const known = this.#sessions.get(id)
    if (known) return known
    const session = newSession(id, this.#input.client, this.#filesOf)
    this.#sessions.set(id, session)
    return session
  }

  readonly #filesOf = (entry: Entry): Array<string> => touchedFiles(entry, this.#input.places)

  #agentOf(agentAndModel: AgentAndModel | undefined): string {
    return agentAndModel?.agent ?? this.#input.defaultAgent()
  }

  /** Lists the files touched in the messages that the last compaction of a history summarised. */
  async #filesBefore(session: Session, history: History): Promise<Array<string> | undefined> {
    const compaction = lastCompactionOf(history)
    if (compaction === undefined) return undefined
    if (session.earlier?.compaction === compaction.id) return session.earlier.files
    const whole = await historyOf(this.#input.client, session.id)
    if (whole.error !== null) return void this.#failed(session, whole.error)
    session.hidden.find(whole.data)
    const files = touchedBefore(whole.data, history, compaction, this.#filesOf)
    session.earlier = { compaction: compaction.id, files }
    return files
  }

  /** Queues work for a session; what it throws is logged. */
  #queue(session: Session, work: () => Promise<void>): Promise<void> {
    session.work = session.work.then(work).catch((thrown) => this.#failed(session, String(thrown)))
    return session.work
  }

  #failed({ id }: Session, reason: string): void {
    const { log } = this.#input
    log('error', `The rules did not reach the session ${id}: ${reason}`, { sessionID: id, reason })
  }

  #logRules({ id }: Session, panel: Panel): void {
    const { inForce, offered } = sessionRules(panel)
    const reasons = [
      ...inForce.map(({ name, file }) => `${name} (${file === undefined ? 'always' : `because of ${file}`})`),
      ...offered.map(({ name }) => `${name} (offered)`),
    ]
    if (reasons.length > 0) this.#input.debug(`Rules for ${id}: ${reasons.join(', ')}`)
  }

  /** Stores a panel in the hidden message of a session, which is sent first where there is none. */
  async #store(session: Session, panel: Panel): Promise<void> {
    await this.#send(session, {})
    if (!session.hidden.isThere || session.hidden.shows(panel)) return
    const stored = await session.hidden.show(panel)
    if (stored.error !== null) return this.#failed(session, stored.error)
    this.#logRules(session, panel)
  }

  /** Makes the hidden message of a session from its whole history: the project's rules in force, and the panel. */
  #contentOf(
    session: Session,
    onDisk: RulesOnDisk,
    history: History,
    agentAndModel?: AgentAndModel,
  ): { text: string; panel: Panel } {
    const { worktree } = this.#input.places.real
    const end = history.findIndex(({ info }) => info.id === session.undoneFrom)
    const standing = end < 0 ? history : history.slice(0, end)
    const agent = this.#agentOf(agentAndModel ?? lastAgentAndModelOf(standing))
    const placed = rulesInRequest(onDisk.rules, new TouchedFiles(this.#filesOf).read(standing), agent)
    const ofProject = inForceOf(placed).map(({ rule }) => rule)
      .filter(({ path }) => !storedPath(path, worktree).own)
    const text = formatRules(ofProject, ({ path }) => storedPath(path, worktree).path)
    return { text: text || NO_RULE, panel: panelOf(onDisk, placed, { worktree, agent }) }
  }

  /** Sends the hidden message to a session that has none, or sends it again. */
  async #send(session: Session, { isAgain = false, said, createdWith }: Occasion): Promise<void> {
    const { client, readRules, defaultAgentAndModel } = this.#input
    const { hidden, id } = session
    if (hidden.isThere && !isAgain) return
    const onDisk = await readRules(true)
    if (onDisk.error !== null) return this.#failed(session, onDisk.error)
    if (!hidden.isThere && !hasRules(onDisk.data)) return
    const history = await historyOf(client, id)
    if (history.error !== null) return this.#failed(session, history.error)
    hidden.find(history.data)
    if (hidden.isThere && !isAgain) return
    const last = said ?? lastAgentAndModelOf(history.data)
    const agentAndModel = last ?? createdWith ?? defaultAgentAndModel()
    if (!agentAndModel) return
    const content = this.#contentOf(session, onDisk.data, history.data, agentAndModel)
    const isEarly = last === undefined
    const sent = await hidden.send(history.data, { ...content, agentAndModel, isEarly })
    if (sent.error !== null) return this.#failed(session, sent.error)
    this.#logRules(session, content.panel)
  }
}
