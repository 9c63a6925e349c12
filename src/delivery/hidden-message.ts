/** Sends a session's hidden message, which no model reads, and which stores the panel that the terminal shows. */
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
import type { FindRecorded, FindUnresolved } from './violations-in-session.ts'

/** The input that all sessions of a host share. */
export type DeliveryInput = {
  client: Client
  log: Log
  toast: Toast
  /** Logs a line if the option `debug` is on. */
  debug: (line: string) => void
  places: SessionPlaces
  config: () => HostConfig
  readRules: ReadRules
  findRecorded: FindRecorded
  findUnresolved: FindUnresolved
  steps: Steps
  /** Lists the parts of SAT that failed outside of the delivery. */
  faults: () => Array<PanelFault>
}

// The person's message waits for the hidden message.
const MAX_WAIT_MS = 10_000

type SendReason = 'created' | 'compacted' | 'message' | 'panel'

/** Throws the error, which `#queue` logs. */
const orThrow = <T>({ data, error }: Result<T>): T => {
  if (error !== null) throw new Error(error)
  return data as T
}

/**
 * The message must be the first of the history. If it were the newest, the host would take the agent from it, and end
 * the turn. The first part stores the panel that was sent, the second part stores the changes since.
 */
export class HiddenMessage {
  readonly #id: string
  readonly #input: DeliveryInput
  /** If this is undefined, `#send` searches the history for it. */
  #stored: StoredMessage | undefined
  /** The id of the first message that the person undid and may still redo. */
  #revertedFrom: string | undefined
  #lastQueued = Promise.resolve()

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
  }

  /** Sends the message after a compaction, or if it is missing or has the wrong agent or model. */
  async send(reason: SendReason, known?: AgentAndModel): Promise<void> {
    await withTimeout(MAX_WAIT_MS, this.#queue(() => this.#send(reason, known)))
  }

  /** `messageID` is the first message that the person undid, or undefined if all messages were redone. */
  async afterRevert(messageID: string | undefined): Promise<void> {
    if (this.#revertedFrom === messageID) return
    this.#revertedFrom = messageID
    await this.#queue(async () => {
      const history = orThrow(await historyOf(this.#input.client, this.#id))
      // Sending now would make the undo final.
      if (!this.#stored && !history.some(isHidden)) return
      const end = history.findIndex(({ info }) => info.id === messageID)
      const remaining = end < 0 ? history : history.slice(0, end)
      const onDisk = await this.#input.readRules('fresh')
      await this.#store((await hiddenContent(onDisk, remaining, this.#input)).panel)
    })
  }

  /** Searches again even after the message was found, because in a fork, its second part may arrive later. */
  locate(history: History): void {
    this.#stored = storedMessageIn(history, this.#stored)
  }

  /** Whether a history lacks the stored message, and so the start of the session. */
  isMissingFrom(history: History): boolean {
    return this.#stored !== undefined && !history.some(isHidden)
  }

  /** Asks the host for a message that the history lacks, and returns `[]` if the host fails. */
  async partsIn(history: History): Promise<Array<MessagePart>> {
    const message = history.find(isHidden)
    if (message || !this.#stored) return message?.parts ?? []
    const path = { id: this.#id, messageID: this.#stored.messageID }
    const read = await callHost(() => this.#input.client.session.message({ path }))
    if (read.error !== null) this.#logFailure(`it could not be read: ${read.error}`)
    return read.data?.parts ?? []
  }

  forget(removedID: string): void {
    if (this.#stored?.messageID === removedID) this.#stored = undefined
  }

  /** Stores a panel in the background, but sends no message for an empty panel. */
  updatePanel(panel: Panel): void {
    const isEmpty = panel.rules.length + panel.leftOut.length === 0
    if (isDeepStrictEqual(this.#stored?.panel, panel) || (isEmpty && !this.#stored)) return
    void this.#queue(() => this.#store(panel))
  }

  #logFailure(reason: string): void {
    const words = `The hidden message of the session ${this.#id} failed: ${reason}`
    this.#input.log('error', words, { sessionID: this.#id, reason })
  }

  #queue(work: () => Promise<void>): Promise<void> {
    return this.#lastQueued = this.#lastQueued.then(work).catch((thrown) => {
      this.#stored = undefined
      this.#logFailure(reasonOf(thrown))
    })
  }

  /** Also forgets the guess. */
  #wasGuessWrong(known: AgentAndModel | undefined): boolean {
    const guess = this.#stored?.sentEarlyWith
    delete this.#stored?.sentEarlyWith
    return guess !== undefined && !isDeepStrictEqual(guess, known)
  }

  async #send(reason: SendReason, known?: AgentAndModel): Promise<void> {
    const { client, readRules, config } = this.#input
    const isMessage = reason === 'message'
    // The session keeps the agent and model that were sent last, so a wrong guess must be replaced.
    const mustSendAgain = reason === 'compacted' || (isMessage && this.#wasGuessWrong(known))
    if (this.#stored && !mustSendAgain) return
    const onDisk = await readRules('fresh')
    if (!this.#stored && ruleFilesOf(onDisk).size === 0) return
    const history = orThrow(await historyOf(client, this.#id))
    // After a restart or in a fork, the history may have the message.
    this.locate(history)
    const existing = this.#stored
    if (existing && !mustSendAgain) return
    const agentAndModel = isMessage
      ? known
      : lastAgentAndModelOf(history) ?? known ?? defaultAgentAndModel(config())
    // If they are unknown, the hidden message waits for the person's message.
    if (!agentAndModel) return
    const { text, panel } = await hiddenContent(onDisk, history, this.#input, agentAndModel)
    const ids = existing ?? await this.#newIdsBefore(history)
    const part = hiddenTextPart(text, { [METADATA_KEY]: panel })
    const parts = [{ id: ids.partID, ...part, time: { start: ids.created } }]
    const body = { noReply: true, messageID: ids.messageID, ...agentAndModel, parts }
    const sent = orThrow(await callHost(() => client.session.prompt({ path: { id: this.#id }, body })))
    // If the agent or model was left out, the host chose one.
    const chosen = agentAndModelOf(Object(Object(sent).info)) ?? agentAndModel
    this.#stored = { ...ids, sentPanel: panel, panel, sentEarlyWith: isMessage ? undefined : chosen }
    this.#logRules(panel)
    // Sending again replaces only the first part, so old changes in the second part would override the new panel.
    const hasOldChanges = existing && !isDeepStrictEqual(existing.sentPanel, existing.panel)
    if (hasOldChanges) await this.#storeChanges(this.#stored, panel)
  }

  /** In a fork, the first message is older than the session. */
  async #newIdsBefore(history: History) {
    const session = orThrow(await callHost(() => this.#input.client.session.get({ path: { id: this.#id } })))
    return newIds(this.#id, [session, history[0]?.info])
  }

  async #store(panel: Panel): Promise<void> {
    await this.#send('panel')
    if (!this.#stored || isDeepStrictEqual(this.#stored.panel, panel)) return
    await this.#storeChanges(this.#stored, panel)
    this.#logRules(panel)
  }

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
