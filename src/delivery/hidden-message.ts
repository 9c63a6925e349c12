/** Sends the hidden message of a session. No model reads it; it stores the panel, which is what the terminal shows. */
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
  /** Logs a line if the option `debug` is on. */
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

/** Why to send: the session was created or compacted, the person sends a message, or the panel has changed. */
type SendReason = 'created' | 'compacted' | 'message' | 'panel'

/** Returns the data of a result. Throws its error, which `#queue` logs. */
const orThrow = <T>({ data, error }: Result<T>): T => {
  if (error !== null) throw new Error(error)
  return data as T
}

/**
 * The hidden message of a session. It must be the first of the history: if it were the newest, the host would take the
 * agent from it, and end the turn. A second part of the message has the later changes of the panel.
 */
export class HiddenMessage {
  readonly #id: string
  readonly #input: DeliveryInput
  /** Undefined if there is no message or, as after a failure, the history must be searched for it. */
  #stored: StoredMessage | undefined
  /** The id of the first message that the person undid and may still redo. */
  #revertedFrom: string | undefined
  #lastQueued = Promise.resolve()

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
  }

  /**
   * Sends the message if there is none, and again after a compaction, or if an agent or model was guessed that differs
   * from that of the person's message (`known`): the session keeps those that were sent last. Waits up to 10 s.
   */
  async send(reason: SendReason, known?: AgentAndModel): Promise<void> {
    await withTimeout(MAX_WAIT_MS, this.#queue(() => this.#send(reason, known)))
  }

  /** Updates the panel after an undo of all messages from `messageID` on, or after a redo of all (undefined). */
  async afterRevert(messageID: string | undefined): Promise<void> {
    if (this.#revertedFrom === messageID) return
    this.#revertedFrom = messageID
    await this.#queue(async () => {
      const history = orThrow(await historyOf(this.#input.client, this.#id))
      // Sending the hidden message now would make the undo final. So it is sent with the next message of the person.
      if (!this.#stored && !history.some(isHidden)) return
      const end = history.findIndex(({ info }) => info.id === messageID)
      const remaining = end < 0 ? history : history.slice(0, end)
      const onDisk = await this.#input.readRules('fresh')
      await this.#store((await hiddenContent(onDisk, remaining, this.#input)).panel)
    })
  }

  /** Looks up the message, even if it is known: in a fork, its second part may arrive later than the first. */
  locate(history: History): void {
    this.#stored = storedMessageIn(history, this.#stored)
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

  forget(removedID: string): void {
    if (this.#stored?.messageID === removedID) this.#stored = undefined
  }

  /** Stores a changed panel in the background; an empty one only if the message exists. */
  updatePanel(panel: Panel): void {
    const isEmpty = panel.rules.length + panel.leftOut.length === 0
    if (isDeepStrictEqual(this.#stored?.panel, panel) || (isEmpty && !this.#stored)) return
    void this.#queue(() => this.#store(panel))
  }

  logFailure(reason: string): void {
    const words = `The rules did not reach the session ${this.#id}: ${reason}`
    this.#input.log('error', words, { sessionID: this.#id, reason })
  }

  #queue(work: () => Promise<void>): Promise<void> {
    return this.#lastQueued = this.#lastQueued.then(work).catch((thrown) => {
      this.#stored = undefined
      this.logFailure(reasonOf(thrown))
    })
  }

  async #send(reason: SendReason, known?: AgentAndModel): Promise<void> {
    const { client, readRules, config } = this.#input
    const isMessage = reason === 'message'
    // Sent ahead of the person's message, the hidden one has a guess of the agent and model, which is checked once.
    const guess = this.#stored?.sentEarlyWith
    if (isMessage) delete this.#stored?.sentEarlyWith
    const isGuessWrong = isMessage && guess && !isDeepStrictEqual(guess, known)
    const mustSendAgain = reason === 'compacted' || isGuessWrong
    if (this.#stored && !mustSendAgain) return
    const onDisk = await readRules('fresh')
    // No hidden message is stored in a project without rule files.
    if (!this.#stored && ruleFilesOf(onDisk).size === 0) return
    const history = orThrow(await historyOf(client, this.#id))
    // After a restart or in a fork, the history may have the message.
    this.locate(history)
    const existing = this.#stored
    if (existing && !mustSendAgain) return
    const agentAndModel = isMessage
      ? known
      : lastAgentAndModelOf(history) ?? known ?? defaultAgentAndModel(config())
    if (!agentAndModel) return
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
    // The second part still has the changes of the earlier panel. They would override the new one.
    const hadChanges = existing && !isDeepStrictEqual(existing.sentPanel, existing.panel)
    if (hadChanges) await this.#storeChanges(this.#stored, panel)
  }

  /** Creates ids that sort before all messages. In a fork, the first message is older than the session. */
  async #newIdsBefore(history: History) {
    const session = orThrow(await callHost(() => this.#input.client.session.get({ path: { id: this.#id } })))
    return newIds(this.#id, [session, history[0]?.info])
  }

  /** Stores a panel that differs from the stored one. Sends the message first if there is none. */
  async #store(panel: Panel): Promise<void> {
    await this.#send('panel')
    if (!this.#stored || isDeepStrictEqual(this.#stored.panel, panel)) return
    await this.#storeChanges(this.#stored, panel)
    this.#logRules(panel)
  }

  /** Stores, in the second part, the fields that differ from the panel with which the message was sent. */
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
