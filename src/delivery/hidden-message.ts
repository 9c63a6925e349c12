/** Sends a session's hidden message and keeps it up to date. It stores the panel: what the terminal shows. */
import { isDeepStrictEqual } from 'node:util'
import { callHost, type Client } from '../host/client.ts'
import type { HostConfig } from '../host/config.ts'
import type { Log } from '../host/log.ts'
import { hiddenTextPart, METADATA_KEY, storePart } from '../host/message-parts.ts'
import { groupByState, type Panel, type PanelFault } from '../host/panel-schema.ts'
import type { Toast } from '../host/toast.ts'
import type { SessionPlaces } from '../paths/path-in-worktree.ts'
import { reasonOf, type Result, withTimeout } from '../safe.ts'
import type { Steps } from '../steps/steps.ts'
import { hiddenContent } from './hidden-content.ts'
import {
  type AgentAndModel,
  agentAndModelOf,
  defaultAgentAndModel,
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  type MessagePart,
} from './history.ts'
import { type ReadRules, ruleFilesOf } from './rules-on-disk.ts'
import { newIds, type StoredMessage, storedMessageIn } from './stored-message.ts'
import type { FindUnresolved } from './violations-in-session.ts'

/** What all sessions of one host share. */
export type DeliveryInput = {
  client: Client
  log: Log
  toast: Toast
  /** Logs a line if the option `debug` is on, such as which rules were sent to a session and why. */
  debug: (line: string) => void
  places: SessionPlaces
  config: () => HostConfig
  readRules: ReadRules
  findUnresolved: FindUnresolved
  steps: Steps
  /** Lists the parts of SAT that failed outside of the delivery. */
  faults: () => Array<PanelFault>
}

// The person's message waits for the hidden one.
const MAX_WAIT_MS = 10_000

/** Why the hidden message is sent: an event of the session, a message of the person, or a change of the panel. */
type SendReason = 'created' | 'compacted' | 'message' | 'panel'

/** Returns the data of a result. Throws its error, which the queue logs. */
const orThrow = <T>({ data, error }: Result<T>): T => {
  if (error !== null) throw new Error(error)
  return data as T
}

/**
 * The hidden message of a session. No model reads it; the terminal shows the panel in its metadata. Its second part
 * stores what changed in the panel since the message was sent. It must be the first message of the history: if it were
 * the newest, the host would take the agent from it, and end the turn.
 */
export class HiddenMessage {
  readonly #id: string
  readonly #input: DeliveryInput
  /** The stored message; undefined if there is none or, as after a failure, it must be looked up in the history. */
  #stored: StoredMessage | undefined
  /** The id of the first message that the person undid and may still redo. */
  #revertedFrom: string | undefined
  /** Resolves when all queued work is done. */
  #lastQueued = Promise.resolve()

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
  }

  /**
   * Sends the message if there is none, and again after a compaction. Waits for at most ten seconds. The session keeps
   * the agent and model that were sent last: so if the message was sent before the person's, and theirs has another
   * agent or model, sends it again with these.
   *
   * @param known the agent and model of the new session or of the person's message
   */
  async send(reason: SendReason, known?: AgentAndModel): Promise<void> {
    await withTimeout(MAX_WAIT_MS, this.#queue(() => this.#send(reason, known)))
  }

  /**
   * Updates the panel after an undo or a redo to the rules that the next request will contain.
   *
   * @param messageID the id of the first message that the person undid; undefined after a redo of all
   */
  async afterRevert(messageID: string | undefined): Promise<void> {
    if (this.#revertedFrom === messageID) return
    this.#revertedFrom = messageID
    await this.#queue(async () => {
      const history = orThrow(await historyOf(this.#input.client, this.#id))
      // Sending the hidden message now would make the undo final. The person's next message makes it final anyway, and
      // then the hidden one is sent.
      if (!this.#stored && !history.some(isHidden)) return
      const end = history.findIndex(({ info }) => info.id === messageID)
      const remaining = end < 0 ? history : history.slice(0, end)
      const onDisk = await this.#input.readRules('fresh')
      await this.#store((await hiddenContent(onDisk, remaining, this.#input)).panel)
    })
  }

  /**
   * Looks up the message in a history, even if it is known: while the host copies the messages of a fork, the second
   * part may arrive later than the first.
   */
  locate(history: History): void {
    this.#stored = storedMessageIn(history, this.#stored) ?? this.#stored
  }

  /** Whether a history lacks the stored message, and so the start of the session. */
  isMissingFrom(history: History): boolean {
    return this.#stored !== undefined && !history.some(isHidden)
  }

  /** Returns the parts of the message, from the host if the history lacks it; none if they cannot be found. */
  async partsIn(history: History): Promise<Array<MessagePart>> {
    const message = history.find(isHidden)
    if (message || !this.#stored) return message?.parts ?? []
    const path = { id: this.#id, messageID: this.#stored.messageID }
    const read = await callHost(() => this.#input.client.session.message({ path }))
    if (read.error !== null) this.logFailure(`its hidden message could not be read: ${read.error}`)
    return read.data?.parts ?? []
  }

  /** Forgets the message if it is the removed one, for example after an undo of the whole session. */
  forget(removedID: string): void {
    if (this.#stored?.messageID === removedID) this.#stored = undefined
  }

  /** Stores the panel of a request in the background if it has changed. Sends no message if no rule file exists. */
  updatePanel(panel: Panel): void {
    const isEmpty = panel.rules.length + panel.leftOut.length === 0
    if (isDeepStrictEqual(this.#stored?.panel, panel) || (isEmpty && !this.#stored)) return
    void this.#queue(() => this.#store(panel))
  }

  /** Logs why the delivery failed in this session. */
  logFailure(reason: string): void {
    const words = `The rules did not reach the session ${this.#id}: ${reason}`
    this.#input.log('error', words, { sessionID: this.#id, reason })
  }

  /** Queues work. If it throws, logs the error and forgets the stored message. */
  #queue(work: () => Promise<void>): Promise<void> {
    return this.#lastQueued = this.#lastQueued.then(work).catch((thrown) => {
      this.#stored = undefined
      this.logFailure(reasonOf(thrown))
    })
  }

  /** Sends the message if there is none, or again if the reason requires that, see `send`. */
  async #send(reason: SendReason, known?: AgentAndModel): Promise<void> {
    const { client, readRules, config } = this.#input
    const isMessage = reason === 'message'
    const sentEarlyWith = this.#stored?.sentEarlyWith
    if (isMessage) delete this.#stored?.sentEarlyWith
    const isOutdated = isMessage && sentEarlyWith && !isDeepStrictEqual(sentEarlyWith, known)
    const mustSendAgain = reason === 'compacted' || isOutdated
    if (this.#stored && !mustSendAgain) return
    const onDisk = await readRules('fresh')
    // No hidden message is stored in a project without rule files.
    if (!this.#stored && ruleFilesOf(onDisk).size === 0) return
    const history = orThrow(await historyOf(client, this.#id))
    this.locate(history)
    const existing = this.#stored
    const agentAndModel = isMessage
      ? known
      : lastAgentAndModelOf(history) ?? known ?? defaultAgentAndModel(config())
    if ((existing && !mustSendAgain) || !agentAndModel) return
    const { text, panel } = await hiddenContent(onDisk, history, this.#input, agentAndModel)
    const ids = existing ?? await this.#newIdsBefore(history)
    const part = hiddenTextPart(text, { [METADATA_KEY]: panel })
    const parts = [{ id: ids.partID, ...part, time: { start: ids.created } }]
    const body = { noReply: true, messageID: ids.messageID, ...agentAndModel, parts }
    const sent = orThrow(await callHost(() => client.session.prompt({ path: { id: this.#id }, body })))
    // The host chooses an agent or model that is left out.
    const chosen = agentAndModelOf(Object(Object(sent).info)) ?? agentAndModel
    this.#stored = { ...ids, sentPanel: panel, panel, sentEarlyWith: isMessage ? undefined : chosen }
    this.#logRules(panel)
    // The second part still has the changes of the earlier panel, which would override the new one.
    const hadChanges = existing && !isDeepStrictEqual(existing.sentPanel, existing.panel)
    if (hadChanges) await this.#storeChanges(this.#stored, panel)
  }

  /** Creates ids that sort before the messages of a history. In a fork, these messages are older than the session. */
  async #newIdsBefore(history: History) {
    const session = orThrow(
      await callHost(() => this.#input.client.session.get({ path: { id: this.#id } })),
    )
    return newIds(this.#id, [session, history[0]?.info])
  }

  /** Stores a panel. Sends the message first if there is none. */
  async #store(panel: Panel): Promise<void> {
    await this.#send('panel')
    if (!this.#stored || isDeepStrictEqual(this.#stored.panel, panel)) return
    await this.#storeChanges(this.#stored, panel)
    this.#logRules(panel)
  }

  /** Stores, in the second part, the fields of a panel that differ from the panel with which the message was sent. */
  async #storeChanges(stored: StoredMessage, panel: Panel): Promise<void> {
    const { messageID, changesID: id, sentPanel } = stored
    const changed = Object.entries(panel).filter(([field, value]) =>
      !isDeepStrictEqual(value, sentPanel?.[field as keyof Panel])
    )
    const data = hiddenTextPart('', { [METADATA_KEY]: Object.fromEntries(changed) })
    const part = { id, sessionID: this.#id, messageID, ...data }
    orThrow(await storePart(this.#input.client, part))
    stored.panel = panel
  }

  #logRules(panel: Panel): void {
    const { inForce, offered } = groupByState(panel)
    const reasons = [...inForce, ...offered].map(({ name, kind, file }) =>
      `${name} (${file === undefined ? kind : `because of ${file}`})`
    )
    if (reasons.length > 0) this.#input.debug(`Rules for ${this.#id}: ${reasons.join(', ')}`)
  }
}
