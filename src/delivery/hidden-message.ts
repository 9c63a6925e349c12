import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { callHost, type Client } from '../host/client.ts'
import { METADATA_KEY, storePart } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, panelIn } from '../host/panel-schema.ts'
import { ok, type Result } from '../safe.ts'
import { type AgentAndModel, agentAndModelOf, type History } from './history.ts'

/** Where a hidden message is stored: its ids, the id of the part with what changed since, and its time in milliseconds. */
type Slot = { messageID: string; partID: string; changesID: string; created: number }

/** A hidden message as it is stored; `first` is the panel that it was sent with, `panel` what is shown now. */
type Stored = Slot & {
  first: Panel | null
  panel: Panel | null
  /** Its agent and model, where it was sent before the person's first message, which may have others. */
  early?: AgentAndModel
}

/** What a hidden message is sent with; `isEarly` where the person has not said anything yet. */
export type HiddenContent = { text: string; panel: Panel; agentAndModel: AgentAndModel; isEarly: boolean }

/** Finds the hidden message of a history by its metadata, which a fork keeps. */
const storedIn = (history: History): Stored | undefined => {
  const { info, parts = [] } = history.find((entry) => entry.parts.some(isHiddenPart)) ?? {}
  const [part, changes] = parts.filter(isHiddenPart)
  return info && part && {
    messageID: info.id,
    partID: part.id,
    changesID: changes?.id ?? `${part.id}1`,
    created: info.time.created,
    first: panelIn([part]),
    panel: panelIn(parts),
  }
}

/**
 * Makes the slot at the beginning of a session's history. An id of the host is the time in hexadecimal, a counter and a
 * tail; a counter of zero sorts before all other ids of the same millisecond. The tail is the session's: two hosts that
 * send at once store one message.
 */
const slotOf = (session: string, created: number): Slot => {
  const start = BigInt.asUintN(48, BigInt(created) * 4_096n).toString(16).padStart(12, '0')
  const id = start + createHash('sha256').update(session).digest('hex').slice(0, 14)
  return { messageID: `msg_${id}`, partID: `prt_${id}`, changesID: `prt_${id}1`, created }
}

// The host makes a session's title and summary from stored messages, without ignored parts.
const partOf = (text: string, data: object) => ({
  type: 'text' as const,
  text,
  synthetic: true,
  ignored: true,
  metadata: { [METADATA_KEY]: data },
})

/**
 * The hidden message of a session: it is stored when the session is created or compacted, no model reads it, and the
 * panel shows its metadata. It stands at the beginning of the history, since the newest message decides the agent and
 * ends a turn. After a failure the next event looks for it in the history.
 */
export class HiddenMessage {
  readonly #client: Client
  readonly #session: string
  #stored: Stored | undefined

  constructor(client: Client, session: string) {
    this.#client = client
    this.#session = session
  }

  /** Whether it is stored, as far as is known. */
  get isThere(): boolean {
    return this.#stored !== undefined
  }

  /** Whether this is what it shows. */
  shows(panel: Panel): boolean {
    return isDeepStrictEqual(this.#stored?.panel, panel)
  }

  /** Looks for it in a history, where it is not known yet. */
  find(history: History): void {
    this.#stored ??= storedIn(history)
  }

  /** Whether it was sent before this message of the person's, their first, and with another agent or model. */
  wasEarlyFor(agentAndModel: AgentAndModel): boolean {
    const { early } = this.#stored ?? {}
    delete this.#stored?.early
    return early !== undefined && !isDeepStrictEqual(early, agentAndModel)
  }

  /** Sends it, which starts no answer; one that is there is replaced. */
  async send(
    history: History,
    { text, panel, agentAndModel, isEarly }: HiddenContent,
  ): Promise<Result<unknown>> {
    const before = this.#stored
    this.#stored = undefined
    const slot = before ? ok(before) : await this.#newSlot(history)
    if (slot.error !== null) return slot
    const { messageID, partID, changesID, created } = slot.data
    const parts = [{ id: partID, ...partOf(text, panel), time: { start: created } }]
    const body = { noReply: true, messageID, ...agentAndModel, parts }
    const sent = await callHost(() => this.#client.session.prompt({ path: { id: this.#session }, body }))
    if (sent.error !== null) return sent
    const info = Object(Object(sent.data).info)
    const early = info.role === 'user' ? agentAndModelOf(info) : agentAndModel
    const stored = { messageID, partID, changesID, created, first: panel, panel }
    this.#stored = isEarly ? { ...stored, early } : stored
    // Otherwise the changes stored with the earlier message would replace those of the new one.
    return before && !isDeepStrictEqual(before.first, before.panel) ? this.show(panel) : sent
  }

  /** Stores those fields of the panel that differ from what it was sent with, and no others. */
  async show(panel: Panel): Promise<Result<unknown>> {
    const stored = this.#stored
    if (!stored) return ok(null)
    const { messageID, changesID: id, first } = stored
    const changed = Object.entries(panel).filter(([field, value]) =>
      !isDeepStrictEqual(value, first?.[field as keyof Panel])
    )
    const part = partOf('', Object.fromEntries(changed))
    const done = await storePart(this.#client, { id, sessionID: this.#session, messageID, ...part })
    if (done.error === null) stored.panel = panel
    else this.#stored = undefined
    return done
  }

  /** Gives the slot of a session that has no hidden message yet; a fork is younger than its history. */
  async #newSlot(history: History): Promise<Result<Slot>> {
    const record = await callHost(() => this.#client.session.get({ path: { id: this.#session } }))
    if (record.error !== null) return record
    const times = [record.data, history[0]?.info].flatMap((one) => one?.time.created ?? [])
    return ok(slotOf(this.#session, Math.min(Date.now(), ...times)))
  }
}
