import type { Client } from '../host/client.ts'
import type { Log } from '../host/log.ts'
import { type AgentAndModel, isSameAgentAndModel } from './agent-and-model.ts'
import { historyOf, sendHiddenMessage, updateHiddenMessage } from './hidden-message.ts'
import { hasRules, type RulesOnDisk } from './rules-on-disk.ts'
import { TOO_MANY } from './session-limits.ts'
import { type Session, toldOf } from './sessions.ts'
import { type Summary, summaryOf } from './summary.ts'
import { insertTold, rulesOf, type Told } from './told.ts'

/** What the queue works with. */
export type HiddenMessageQueueInput = {
  client: Client
  log: Log
  /** Reads the rules that are the sessions' to have now, and where it `isFresh`, what the host sends by itself. */
  readRules: (isFresh: boolean) => Promise<RulesOnDisk>
  /** Tells the person of rules that apply and that a session cannot take any more. */
  warnTooMany: (paths: Array<string>) => void
  /** Gives the agent and model for a session that nothing is known of; `undefined` where none is right. */
  defaultAgentAndModel: () => AgentAndModel | undefined
}

/** Sends and updates the hidden messages, for each session one after the other. */
export class HiddenMessageQueue {
  readonly #input: HiddenMessageQueueInput

  constructor(input: HiddenMessageQueueInput) {
    this.#input = input
  }

  /** Runs work for a session after all that was queued for it before; what it throws is logged. */
  queue(session: Session, work: () => Promise<void>): Promise<void> {
    session.work = session.work.then(work).catch((thrown) => this.failed(session, String(thrown)))
    return session.work
  }

  /** Logs why a session did not get its rules. */
  failed({ id }: Session, reason: string): void {
    this.#input.log('error', `The rules did not reach the session ${id}: ${reason}`, {
      sessionID: id,
      reason,
    })
  }

  /** Queues a store of what the session is told by then. Until it runs, another call queues nothing. */
  queueStore(session: Session): void {
    if (session.isStoreQueued) return
    session.isStoreQueued = true
    void this.queue(session, async () => {
      session.isStoreQueued = false
      const { state, slot } = session
      if (state.is !== 'delivered' || !slot) return this.send(session)
      const message = { told: state.told, summary: await this.#summaryOf(session, state.told) }
      const stored = await updateHiddenMessage(this.#input.client, session.id, message, slot)
      if (stored.error === null) return
      session.state = { is: 'failed', told: state.told }
      this.failed(session, stored.error)
    })
  }

  /** Finds out which rules the next request holds, of the messages that are not undone, and queues a store of it. */
  async storeHeld(session: Session): Promise<void> {
    const whole = await historyOf(this.#input.client, session.id)
    const told = toldOf(session)
    if (whole.error !== null || !told) return
    const end = whole.data.findIndex(({ info }) => info.id === session.undoneFrom)
    session.held = insertTold(end < 0 ? whole.data : whole.data.slice(0, end), told)
    this.queueStore(session)
  }

  async #summaryOf(session: Session, told: Told): Promise<Summary> {
    const held = session.held ?? new Set(rulesOf(told).keys())
    const onDisk = await this.#input.readRules(false)
    session.shownRules = onDisk
    const summary = summaryOf(told, onDisk, held, session.touched)
    const tooMany = summary.leftOut.filter(({ reason }) => reason === TOO_MANY)
    if (tooMany.length > 0) this.#input.warnTooMany(tooMany.map(({ path }) => path))
    return summary
  }

  /** Sends the hidden message, where there are rules and an agent and model to send it with. */
  async send(session: Session): Promise<void> {
    const { client, readRules, defaultAgentAndModel } = this.#input
    const { state, id, slot } = session
    if (!('told' in state)) return
    const isStored = state.is === 'delivered' || state.is === 'failed'
    if (!isStored && !hasRules(await readRules(false))) return
    const agentAndModel = session.lastUserMessage?.agentAndModel ?? session.createdWith
      ?? defaultAgentAndModel()
    if (!agentAndModel) return
    const { told } = state
    const message = { told, summary: await this.#summaryOf(session, told) }
    const at = Date.now()
    const sent = await sendHiddenMessage(client, id, message, agentAndModel, slot)
    const now = toldOf(session) ?? told
    if (sent.error !== null) {
      session.state = { is: 'failed', told: now }
      return this.failed(session, sent.error)
    }
    if (sent.data.slot) session.slot = sent.data.slot
    session.state = { is: 'delivered', told: now, sent: { at, agentAndModel: sent.data.agentAndModel } }
    // The person may have said something meanwhile, under another agent or model.
    const newest = session.lastUserMessage?.agentAndModel
    if (newest && newest !== agentAndModel && !isSameAgentAndModel(newest, sent.data.agentAndModel)) {
      await this.send(session)
    } else if (now !== told) this.queueStore(session)
  }
}
