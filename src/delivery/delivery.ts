import type { Panel } from '../host/panel-schema.ts'
import { ok, within } from '../safe.ts'
import { filesToAdd, refusalFor } from './before-write.ts'
import type { DeliveryInput } from './delivery-input.ts'
import { historyOf, newSlot, sendHiddenMessage, storeChanges, storedMessageIn } from './hidden-message.ts'
import {
  type AgentAndModel,
  type History,
  isSameAgentAndModel,
  lastAgentAndModelOf,
  lastCompactionOf,
  mayGetTitle,
} from './history.ts'
import { panelOf, storedPath } from './panel-data.ts'
import {
  formatRules,
  inForceOf,
  insertRules,
  type RulesInRequest,
  rulesInRequest,
  touchedBefore,
  touchedIn,
} from './rules-in-request.ts'
import { hasRules, type RulesOnDisk } from './rules-on-disk.ts'
import { type Session, Sessions } from './session.ts'

// How long a person waits at most where a disk or the host is slow.
const PATIENCE_MS = 10_000

const NO_RULE = 'No rule of the project applies to this session yet.'

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Brings rules to sessions: injects them into each request, and stores the hidden message for the panel. No model sees
 * that message, and nothing that a request holds is decided by it.
 */
export class Delivery {
  readonly #input: DeliveryInput
  readonly #sessions: Sessions

  constructor(input: DeliveryInput) {
    this.#input = input
    this.#sessions = new Sessions(input.filesOf)
  }

  /** Sends the hidden message of a session that was created; `createdWith` is its agent and model, where they are known. */
  async created(id: string, createdWith: AgentAndModel): Promise<void> {
    const session = this.#sessions.get(id)
    if (createdWith.agent || createdWith.model) session.createdWith = createdWith
    await this.#queue(session, () => this.#send(session, false))
  }

  /** Sends the hidden message of a session that was compacted again. */
  async compacted(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    // Without a new message since the last compaction the host passes no history to summarise.
    session.isCompacting = false
    await this.#queue(session, () => this.#send(session, true))
  }

  /** Updates the panel to the rules of the next request, after an undo from a message on, or a redo. */
  async undone(id: string, messageID: string | undefined): Promise<void> {
    const session = this.#sessions.get(id)
    if (session.undoneFrom === messageID) return
    session.undoneFrom = messageID
    await this.#queue(session, async () => {
      const history = await historyOf(this.#input.client, id)
      if (history.error !== null) return
      await this.#store(session, (await this.#contentOf(session, history.data)).panel)
    })
  }

  /** Forgets a session that was deleted. */
  deleted(id: string): void {
    this.#sessions.forget(id)
  }

  /** Gives the time that puts the hidden message of a session first in its history. */
  timeOf(id: string): number | undefined {
    return this.#sessions.get(id).slot?.created
  }

  /**
   * Sends the hidden message, if the session has none, before the person's message is stored. A message that was sent
   * before the person's first is sent again if that has another agent or model.
   */
  async received(id: string, agentAndModel: AgentAndModel): Promise<void> {
    const session = this.#sessions.get(id)
    session.lastSaid = agentAndModel
    session.isCompacting = false
    const work = this.#queue(session, async () => {
      await this.#send(session, false)
      const { message, isEarly } = session
      session.isEarly = false
      if (isEarly && message && !isSameAgentAndModel(message.agentAndModel, agentAndModel)) {
        await this.#send(session, true)
      }
    })
    await within(PATIENCE_MS, work)
  }

  /** Notes that the next history of the session that `present` gets is for its summary. */
  compacting(id: string): void {
    this.#sessions.get(id).isCompacting = true
  }

  /** Injects the rules of a session into the history of a request, in place. */
  async present(history: History): Promise<void> {
    const id = history[0]?.info.sessionID
    if (id === undefined) return
    const session = this.#sessions.get(id)
    if (session.isCompacting) {
      session.isCompacting = false
      return
    }
    const onDisk = await within(PATIENCE_MS, this.#input.readRules(false))
    if (onDisk.error !== null) return this.#failed(session, onDisk.error)
    const agent = this.#agentOf(session, history)
    const files = touchedIn(history, session.filesOf, await this.#filesBefore(session, history))
    const placed = rulesInRequest(onDisk.data.rules, files, agent, session.firstMatch)
    session.agent = agent
    session.shown = new Set(inForceOf(placed).map(({ rule }) => rule.path))
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    if (mayGetTitle(history)) await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed)
    this.#show(session, onDisk.data, placed, agent)
  }

  /** Refuses a call that adds a file whose rules the session's model was not shown; gives the answer, or null. */
  async refusal(id: string, tool: string, args: unknown): Promise<string | null> {
    const { client, newFiles, readRules } = this.#input
    const files = await newFiles(filesToAdd(tool, args))
    if (files.length === 0) return null
    const onDisk = await within(PATIENCE_MS, readRules(false))
    return refusalFor(this.#sessions.get(id), { client, tool, files, rules: onDisk.data?.rules ?? [] })
  }

  #agentOf(session: Session, history: History): string {
    const last = lastAgentAndModelOf(history) ?? session.createdWith
    return last?.agent ?? this.#input.defaultAgent()
  }

  /** Lists the files touched in the messages that the last compaction of a history summarised. */
  async #filesBefore(session: Session, history: History): Promise<Array<string>> {
    const compaction = lastCompactionOf(history)
    if (compaction === undefined) return []
    if (session.earlier?.compaction === compaction.id) return session.earlier.files
    const whole = await historyOf(this.#input.client, session.id)
    if (whole.error !== null) {
      this.#failed(session, `its history could not be read: ${whole.error}`)
      return []
    }
    const files = touchedBefore(whole.data, history, compaction, session.filesOf)
    session.earlier = { compaction: compaction.id, files }
    return files
  }

  /** Logs and stores what a request holds, if it changed. */
  #show(session: Session, onDisk: RulesOnDisk, placed: RulesInRequest, agent: string): void {
    this.#logRules(session, placed)
    const panel = panelOf(onDisk, placed, { worktree: this.#input.worktree, agent })
    if (!session.message && !hasRules(onDisk)) return
    if (isSame(session.message?.panel, panel)) return
    void this.#queue(session, () => this.#store(session, panel))
  }

  #logRules(session: Session, placed: RulesInRequest): void {
    const reasons = inForceOf(placed).map(({ rule: { name, kind }, file }) =>
      `${name} (${file === undefined ? kind : `because of ${file}`})`
    )
    const line = `Rules for ${session.id}: ${reasons.join(', ')}`
    if (line !== session.logged && reasons.length > 0) this.#input.debug(session.logged = line)
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

  /** Stores a panel in the hidden message of a session, which is sent first where there is none. */
  async #store(session: Session, panel: Panel): Promise<void> {
    await this.#send(session, false)
    const { message } = session
    if (!message || isSame(message.panel, panel)) return
    const stored = await storeChanges(this.#input.client, session.id, message, panel)
    if (stored.error === null) message.panel = panel
    else this.#lost(session, stored.error)
  }

  /** Notes that a hidden message was not stored: the next event looks for it in the history and tries again. */
  #lost(session: Session, reason: string): void {
    delete session.message
    session.isRead = false
    this.#failed(session, reason)
  }

  /** Makes the hidden message of a session from its whole history: the project's rules in force, and the panel. */
  async #contentOf(session: Session, history: History): Promise<{ text: string; panel: Panel }> {
    const { readRules, worktree } = this.#input
    const end = history.findIndex(({ info }) => info.id === session.undoneFrom)
    const standing = end < 0 ? history : history.slice(0, end)
    const onDisk = await readRules(true)
    const agent = session.lastSaid?.agent ?? this.#agentOf(session, standing)
    const placed = rulesInRequest(onDisk.rules, touchedIn(standing, session.filesOf), agent)
    this.#logRules(session, placed)
    const ofProject = inForceOf(placed).map(({ rule }) => rule)
      .filter(({ path }) => !storedPath(path, worktree).own)
    const text = formatRules(ofProject, ({ path }) => storedPath(path, worktree).path)
    return { text: text || NO_RULE, panel: panelOf(onDisk, placed, { worktree, agent }) }
  }

  /** Sends the hidden message to a session that has none, or sends it again. */
  async #send(session: Session, isAgain: boolean): Promise<void> {
    const { client, readRules, defaultAgentAndModel } = this.#input
    if (session.message && !isAgain) return
    const hasAny = hasRules(await readRules(true))
    if (!hasAny && session.isRead && !session.message) return
    const history = await historyOf(client, session.id)
    if (history.error !== null) {
      return this.#failed(session, `its history could not be read: ${history.error}`)
    }
    session.isRead = true
    session.message ??= storedMessageIn(history.data)
    const before = session.message
    if (before ? !isAgain : !hasAny) return
    const last = session.lastSaid ?? lastAgentAndModelOf(history.data)
    const agentAndModel = last ?? session.createdWith ?? defaultAgentAndModel()
    if (!agentAndModel) return
    const slot = before ? ok(before.slot) : await newSlot(client, session.id, history.data)
    if (slot.error !== null) return this.#lost(session, slot.error)
    session.slot = slot.data
    const content = await this.#contentOf(session, history.data)
    const sent = await sendHiddenMessage(client, session.id, { slot: slot.data, agentAndModel, ...content })
    if (sent.error !== null) return this.#lost(session, sent.error)
    session.message = sent.data
    session.isEarly = last === undefined
    // Otherwise the changes stored with the earlier message would replace those of the new one.
    if (before && !isSame(before.first, before.panel)) {
      await storeChanges(client, session.id, sent.data, content.panel)
    }
  }
}
