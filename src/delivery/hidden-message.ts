/**
 * The hidden message of a session: it is stored when the session is created or compacted, no model reads it, and the
 * panel shows its metadata. It stands at the beginning of the history, since the newest message decides the agent and
 * ends a turn.
 */
import { createHash } from 'node:crypto'
import { callHost, type Client } from '../host/client.ts'
import { METADATA_KEY, storePart } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, panelIn } from '../host/panel-schema.ts'
import { ok, type Result } from '../safe.ts'
import { type AgentAndModel, agentAndModelOf, type History, isHidden, type TextPart } from './history.ts'

/** Reads all messages of a session, those before a compaction included. */
export const historyOf = async (client: Client, id: string): Promise<Result<History>> => {
  const answered = await callHost(() => client.session.messages({ path: { id } }))
  return answered.error === null ? ok(Array.isArray(answered.data) ? answered.data : []) : answered
}

/** Where a hidden message is stored: its ids, the id of the part with what changed since, and its time in milliseconds. */
export type Slot = { messageID: string; partID: string; changesID: string; created: number }

/** A hidden message as it is stored; `first` is the panel that it was sent with, `panel` what is shown now. */
export type StoredMessage = {
  slot: Slot
  agentAndModel: AgentAndModel
  first: Panel | null
  panel: Panel | null
}

/** Finds the hidden message of a history. */
export const storedMessageIn = (history: History): StoredMessage | undefined => {
  const found = history.find(isHidden)
  if (found?.info.role !== 'user') return undefined
  const { info } = found
  const [part, changes] = found.parts.filter(isHiddenPart)
  const partID = part?.id ?? ''
  return {
    slot: {
      messageID: info.id,
      partID,
      changesID: changes?.id ?? `${partID}1`,
      created: info.time.created,
    },
    agentAndModel: agentAndModelOf(info),
    first: panelIn(found.parts.slice(0, 1)),
    panel: panelIn(found.parts),
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

/** Gives the slot of a session that has no hidden message yet; a fork is younger than its history. */
export const newSlot = async (client: Client, id: string, history: History): Promise<Result<Slot>> => {
  const record = await callHost(() => client.session.get({ path: { id } }))
  if (record.error !== null) return record
  const times = [record.data, history[0]?.info].flatMap((one) => one?.time.created ?? [])
  return ok(slotOf(id, Math.min(Date.now(), ...times)))
}

// The host makes a session's title and summary from stored messages, without ignored parts.
const partOf = (text: string, data: object) => ({
  type: 'text' as const,
  text,
  synthetic: true,
  ignored: true,
  metadata: { [METADATA_KEY]: data },
})

/** Stores the hidden message, which starts no answer; one in the same slot is replaced. */
export const sendHiddenMessage = async (
  client: Client,
  id: string,
  { slot, text, panel, agentAndModel }: {
    slot: Slot
    text: string
    panel: Panel
    agentAndModel: AgentAndModel
  },
): Promise<Result<StoredMessage>> => {
  const { messageID, partID } = slot
  const parts = [{ id: partID, ...partOf(text, panel) }]
  const sent = await callHost(() =>
    client.session.prompt({ path: { id }, body: { noReply: true, messageID, ...agentAndModel, parts } })
  )
  if (sent.error !== null) return sent
  const { info } = Object(sent.data)
  return ok({
    slot,
    agentAndModel: info?.role === 'user' ? agentAndModelOf(info) : agentAndModel,
    first: panel,
    panel,
  })
}

/** Stores those fields of the panel that differ from what the message was sent with, and no others. */
export const storeChanges = (
  client: Client,
  sessionID: string,
  { slot: { messageID, changesID: id }, first }: StoredMessage,
  panel: Panel,
): Promise<Result<unknown>> => {
  const changed = Object.entries(panel).filter(([field, value]) =>
    JSON.stringify(value) !== JSON.stringify(first?.[field as keyof Panel])
  )
  const part: TextPart = { id, sessionID, messageID, ...partOf('', Object.fromEntries(changed)) }
  return storePart(client, part)
}
