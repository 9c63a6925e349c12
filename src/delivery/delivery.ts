import type { PluginInput } from '@opencode-ai/plugin'
import { within } from '../host-call.ts'
import type { Log } from '../log.ts'
import {
  type EntryPart,
  type History,
  isCompacted,
  isSameStamp,
  newestSaid,
  type Said,
  type Stamp,
  storedRulesIn,
} from './history.ts'
import type { Rule } from './rule-files.ts'
import { SessionRules } from './session-rules.ts'
import { type Session, Sessions } from './sessions.ts'
import { berthAt, historyOf, sendSilently } from './silent-message.ts'

// What a person waits for at most, where a disk or the host is slow.
const PATIENCE_MS = 10_000

export type DeliveryInput = {
  client: PluginInput['client']
  log: Log
  /** The rules that are the sessions' to have now. */
  rules: () => Promise<Array<Rule>>
  /** The files, relative to the worktree, that a part of a message is about. */
  filesOf: (part: EntryPart) => Array<string>
  /** The stamp of a session of which nothing is said; `undefined` where any would give it a model for good. */
  unsaidStamp: () => Stamp | undefined
}

/**
 * Rules → sessions. What a model reads is put into each of its requests, in memory, where nothing can overtake or
 * double it. The silent message is the session's memory of what it was told: it is stored at the beginning of the
 * history, hidden from the model, so that it is never the newest one, which decides the agent and ends a turn.
 */
export class Delivery {
  readonly #input: DeliveryInput
  readonly #sessions = new Sessions()

  constructor(input: DeliveryInput) {
    this.#input = input
  }

  /** A session was created; `born` is what its creation says of agent and model, if it does. */
  async created(id: string, created: number | undefined, born: Stamp | undefined): Promise<void> {
    const session = this.#sessions.get(id)
    if (born) session.born = born
    if (created !== undefined) session.created = created
    await this.#queue(session, async () => {
      if (!session.tracked) await this.#deliver(session)
    })
  }

  /** A session was compacted: it has its rules sent again. */
  async compacted(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    session.tracked = false
    // The host hands over no history to be summed up where nothing was said since the last compaction.
    session.summing = false
    await this.#queue(session, () => this.#deliver(session, true))
  }

  ended(id: string): void {
    this.#sessions.forget(id)
  }

  /** When the silent message of a session was made, as its place in the history asks for. */
  timeOf(id: string): number | undefined {
    return this.#sessions.get(id).berth?.created
  }

  /**
   * The person says something: it waits for a delivery under way. A silent message that was sent before anybody knew
   * the agent and model of the session, or at the same time, takes on those of the person's message.
   */
  async said(id: string, said: Said): Promise<void> {
    const session = this.#sessions.get(id)
    const isFirst = session.said === undefined
    session.said = said
    session.summing = false
    const work = this.#queue(session, async () => {
      if (session.owed) return this.#deliver(session)
      const { sent } = session
      if (sent && (isFirst || sent.at >= said.at) && !isSameStamp(sent.stamp, said.stamp)) {
        await this.#send(session)
      }
    })
    await within(PATIENCE_MS, work)
  }

  /** The next history of the session is handed over to be summed up. */
  summing(id: string): void {
    this.#sessions.get(id).summing = true
  }

  /** Puts the rules of a session in front of the model, for the request that this history is for. */
  async present(history: History): Promise<void> {
    const id = history[0]?.info.sessionID
    if (id === undefined) return
    const session = this.#sessions.get(id)
    const rules = await within(PATIENCE_MS, this.#rulesOf(session, history))
    const { summing } = session
    session.summing = false
    if (rules.error !== null) return this.#failed(session, rules.error)
    rules.data.join(history, this.#input.filesOf)
    if (summing) return
    if (!history.some(({ info }) => info.role === 'assistant')) await titleBegins()
    rules.data.insertInto(history)
  }

  #queue(session: Session, work: () => Promise<void>): Promise<void> {
    session.work = session.work.then(work).catch((thrown) => this.#failed(session, String(thrown)))
    return session.work
  }

  #failed(session: Session, reason: string): void {
    session.owed = true
    this.#input.log('error', `The rules did not reach the session ${session.id}: ${reason}`, {
      sessionID: session.id,
      reason,
    })
  }

  /** The rules of a session: what its history was told before, else what is on the disk. */
  #rulesOf(session: Session, history: History): Promise<SessionRules> {
    session.rules ??= (async () => {
      const rules = await this.#input.rules()
      const stored = storedRulesIn(history)
      if (stored || !isCompacted(history)) return new SessionRules(rules, stored)
      // What was told stands before the compaction, where the host does not show it.
      const whole = await historyOf(this.#input.client, session.id)
      return new SessionRules(rules, storedRulesIn(whole.data ?? []))
    })()
    session.rules.catch(() => delete session.rules)
    return session.rules
  }

  async #deliver(session: Session, again = false): Promise<void> {
    const history = (await historyOf(this.#input.client, session.id)).data ?? []
    const rules = await this.#rulesOf(session, history)
    if (again) rules.renew(await this.#input.rules())
    const stored = storedRulesIn(history)
    // A fork brings along what its origin was told.
    if (stored && !again && !session.owed) return void (session.tracked = true)
    if (rules.text === '') return
    const created = Math.min(
      ...[session.created, history[0]?.info.time.created].filter((time) => time !== undefined),
    )
    session.berth ??= stored ?? (Number.isFinite(created) ? berthAt(created) : undefined)
    const newest = newestSaid(history)
    if (newest && newest.at >= (session.said?.at ?? 0)) session.said = newest
    await this.#send(session)
  }

  async #send(session: Session): Promise<void> {
    const { text, paths } = await this.#rulesOf(session, [])
    const stamp = session.said?.stamp ?? session.born ?? this.#input.unsaidStamp()
    if (!stamp) return void (session.owed = true)
    const message = { text, paths, stamp, berth: session.berth }
    const sent = await sendSilently(this.#input.client, session.id, message)
    if (sent.error !== null) return this.#failed(session, sent.error)
    session.sent = { at: Date.now(), stamp: sent.data }
    session.owed = false
    session.tracked = true
    // What was said meanwhile is newer than what the message was sent with.
    const newest = session.said?.stamp
    if (newest && newest !== stamp && !isSameStamp(newest, sent.data)) await this.#send(session)
  }
}

/**
 * The host makes a session's title from the very list that it hands over with the first request. A moment later it
 * has taken what it needs.
 */
const titleBegins = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
