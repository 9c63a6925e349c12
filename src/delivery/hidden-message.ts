import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { callHost, type Client } from '../host/client.ts'
import type { HostConfig } from '../host/config.ts'
import type { Log } from '../host/log.ts'
import { idAt, METADATA_KEY, storePart, unseenText } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, type PanelFault, readPanel, sessionRules } from '../host/panel-schema.ts'
import type { Toast } from '../host/toast.ts'
import { reasonOf, type Result, withTimeout } from '../safe.ts'
import type { Steps } from '../steps/steps.ts'
import type { BrokenNow } from './broken-rules.ts'
import { hiddenContent } from './hidden-content.ts'
import {
  type AgentAndModel,
  agentAndModelOf,
  defaultAgentAndModel,
  type EntryPart,
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
} from './history.ts'
import type { ReadRules } from './rules-on-disk.ts'
import type { SessionPlaces } from './touched-files.ts'

/** What the delivery of one instance of the host works with. */
export type DeliveryInput = {
  client: Client
  log: Log
  toast: Toast
  /** Logs what was sent to which session and why, where the person asked for it. */
  debug: (line: string) => void
  places: SessionPlaces
  config: () => HostConfig
  readRules: ReadRules
  brokenNow: BrokenNow
  steps: Steps
  /** Gives what of SAT failed outside of the delivery. */
  faults: () => Array<PanelFault>
}

// A person's message waits for the hidden one.
const PATIENCE_MS = 10_000

/**
 * Makes the slot at the beginning of a session's history. An id of the host is the time in hexadecimal, a counter and a
 * tail; a counter of zero sorts before all other ids of the same millisecond. The tail is the session's: two hosts that
 * send at once store one message. What changes after it was sent is a part of its own.
 */
const slotOf = (session: string, created: number) => {
  const id = idAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  return { messageID: `msg_${id}`, partID: `prt_${id}`, changesID: `prt_${id}1`, created }
}

/** A hidden message as it is stored; `first` is the panel that it was sent with, `panel` what is shown now. */
type StoredMessage = ReturnType<typeof slotOf> & {
  first: Panel | null
  panel: Panel | null
  /** Its agent and model, where an event sent it: the person's next message may have others. */
  early?: AgentAndModel | undefined
}

/** Finds the hidden message of a history by its metadata, which a fork keeps; none where it is as `known`. */
const storedMessageIn = (history: History, known: StoredMessage | undefined): StoredMessage | undefined => {
  const { info, parts = [] } = history.find(isHidden) ?? {}
  const [part, ...changes] = parts.filter(isHiddenPart)
  const changesID = changes.at(-1)?.id ?? `${part?.id}1`
  if (!info || !part || changesID === known?.changesID) return undefined
  const { id: messageID, time: { created } } = info
  const [first, panel] = [readPanel([part]), readPanel(parts)]
  return { messageID, partID: part.id, changesID, created, first, panel }
}

/**
 * Why it is sent: what the person said their message with, or else what the session was created with. It is sent again
 * after a compaction.
 */
type Occasion = { isAgain?: boolean; said?: AgentAndModel; createdWith?: AgentAndModel | undefined }

/** Gives what succeeded; a failure ends the work that is queued, and is logged there. */
const needed = <T>({ data, error }: Result<T>): T => {
  if (error !== null) throw new Error(error)
  return data as T
}

/**
 * The hidden message of a session: it is stored when the session is created or compacted, no model reads it, and the
 * panel shows its metadata. It stands at the beginning of the history, since the newest message decides the agent and
 * ends a turn.
 */
export class HiddenMessage {
  readonly #id: string
  readonly #input: DeliveryInput
  /** What is known to be stored. After a failure the next event looks for it in the history. */
  #stored: StoredMessage | undefined
  /** The id of the first message that the person undid, while they may still redo it. */
  #undoneFrom: string | undefined
  /** Resolves when all that is queued is done. */
  #work = Promise.resolve()

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
  }

  /**
   * Sends it where there is none, and waits for that at most ten seconds. One that an event sent is sent again if the
   * person's next message has another agent or model: the host's record of the session takes those of the last one sent.
   */
  async send(occasion: Occasion): Promise<void> {
    await withTimeout(PATIENCE_MS, this.#queue(() => this.#send(occasion)))
  }

  /** Shows the rules of the next request after an undo from a message on, or a redo. */
  async undone(messageID: string | undefined): Promise<void> {
    if (this.#undoneFrom === messageID) return
    this.#undoneFrom = messageID
    await this.#queue(async () => {
      const history = needed(await historyOf(this.#input.client, this.#id))
      // Sent now it would end the undo for good. The person's next message does that anyway, and has it sent.
      if (!this.#stored && !history.some(isHidden)) return
      const end = history.findIndex(({ info }) => info.id === messageID)
      const standing = end < 0 ? history : history.slice(0, end)
      const onDisk = await this.#input.readRules(true)
      await this.#store((await hiddenContent(onDisk, standing, this.#input)).panel)
    })
  }

  /** Looks for it in a history. One that was found while a fork was copied may have got another part since. */
  find(history: History): void {
    this.#stored = storedMessageIn(history, this.#stored) ?? this.#stored
  }

  /** Whether a history lacks it and with it the session's beginning, as after a compaction. */
  isCutFrom(history: History): boolean {
    return this.#stored !== undefined && !history.some(isHidden)
  }

  /** Gives its parts: those of a history that has it, or else as they are stored; none where they cannot be read. */
  async partsIn(history: History): Promise<Array<EntryPart>> {
    const entry = history.find(isHidden)
    if (entry || !this.#stored) return entry?.parts ?? []
    const path = { id: this.#id, messageID: this.#stored.messageID }
    const read = await callHost(() => this.#input.client.session.message({ path }))
    if (read.error !== null) this.failed(`its hidden message could not be read: ${read.error}`)
    return read.data?.parts ?? []
  }

  /** Forgets it when it was removed, as by an undo of all that a session has. */
  removed(messageID: string): void {
    if (this.#stored?.messageID === messageID) this.#stored = undefined
  }

  /** Shows what a request holds, if that is something else; it is sent first where there is none. */
  show(panel: Panel): void {
    const isEmpty = panel.rules.length + panel.leftOut.length === 0
    if (isDeepStrictEqual(this.#stored?.panel, panel) || (isEmpty && !this.#stored)) return
    void this.#queue(() => this.#store(panel))
  }

  /** Logs why something of the session failed. */
  failed(reason: string): void {
    const words = `The rules did not reach the session ${this.#id}: ${reason}`
    this.#input.log('error', words, { sessionID: this.#id, reason })
  }

  /** Queues work; what it throws is logged. */
  #queue(work: () => Promise<void>): Promise<void> {
    return this.#work = this.#work.then(work).catch((thrown) => {
      this.#stored = undefined
      this.failed(reasonOf(thrown))
    })
  }

  async #send({ isAgain = false, said, createdWith }: Occasion): Promise<void> {
    const { client, readRules, config } = this.#input
    const early = this.#stored?.early
    if (said) delete this.#stored?.early
    const replaces = isAgain || (said && early && !isDeepStrictEqual(early, said))
    if (this.#stored && !replaces) return
    const onDisk = await readRules(true)
    // Without rule files no hidden message is stored.
    const { rules, checking, leftOut } = onDisk
    if (!this.#stored && rules.length + checking.length + leftOut.length === 0) return
    const history = needed(await historyOf(client, this.#id))
    this.find(history)
    const before = this.#stored
    const agentAndModel = said ?? lastAgentAndModelOf(history) ?? createdWith
      ?? defaultAgentAndModel(config())
    if ((before && !replaces) || !agentAndModel) return
    const { text, panel } = await hiddenContent(onDisk, history, this.#input, agentAndModel)
    const slot = before ?? await this.#newSlot(history)
    const { messageID, partID, created } = slot
    const parts = [{ id: partID, ...unseenText(text, { [METADATA_KEY]: panel }), time: { start: created } }]
    const body = { noReply: true, messageID, ...agentAndModel, parts }
    const sent = needed(await callHost(() => client.session.prompt({ path: { id: this.#id }, body })))
    // The host chooses an agent or model that was not given.
    const chosen = agentAndModelOf(Object(Object(sent).info)) ?? agentAndModel
    this.#stored = { ...slot, first: panel, panel, early: said ? undefined : chosen }
    this.#logRules(panel)
    // Otherwise the changes stored with the earlier message would replace those of the new one.
    if (before && !isDeepStrictEqual(before.first, before.panel)) {
      await this.#storeChanges(this.#stored, panel)
    }
  }

  /** Stores a panel; the message is sent first where there is none. */
  async #store(panel: Panel): Promise<void> {
    await this.#send({})
    if (!this.#stored || isDeepStrictEqual(this.#stored.panel, panel)) return
    await this.#storeChanges(this.#stored, panel)
    this.#logRules(panel)
  }

  /** Stores those fields of a panel that differ from what the message was sent with, and no others. */
  async #storeChanges(stored: StoredMessage, panel: Panel): Promise<void> {
    const { messageID, changesID: id, first } = stored
    const changed = Object.entries(panel).filter(([field, value]) =>
      !isDeepStrictEqual(value, first?.[field as keyof Panel])
    )
    const data = unseenText('', { [METADATA_KEY]: Object.fromEntries(changed) })
    const part = { id, sessionID: this.#id, messageID, ...data }
    needed(await storePart(this.#input.client, part))
    stored.panel = panel
  }

  /** Gives the slot of a session that has no hidden message yet; a fork is younger than its history. */
  async #newSlot(history: History) {
    const record = needed(await callHost(() => this.#input.client.session.get({ path: { id: this.#id } })))
    const times = [record, history[0]?.info].flatMap((one) => one?.time.created ?? [])
    return slotOf(this.#id, Math.min(Date.now(), ...times))
  }

  #logRules(panel: Panel): void {
    const { inForce, offered } = sessionRules(panel)
    const reasons = [...inForce, ...offered].map(({ name, kind, file }) =>
      `${name} (${file === undefined ? kind : `because of ${file}`})`
    )
    if (reasons.length > 0) this.#input.debug(`Rules for ${this.#id}: ${reasons.join(', ')}`)
  }
}
