/** Finds a session's hidden message, which stores the panel that the terminal shows; creates ids for a new message. */
import { createHash } from 'node:crypto'
import { idPrefixAt } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, readPanel } from '../host/panel-schema.ts'
import { type AgentAndModel, type History, isHidden } from './history.ts'

/** A stored hidden message. Its first part has the panel that was sent. A second part has the later changes. */
export type StoredMessage = {
  messageID: string
  partID: string
  /** The id of the second part, even if that part is not stored yet. */
  changesID: string
  created: number
  /** The panel in the first part. */
  sentPanel: Panel | null
  /** The panel in the first part, with the changes of the second part. */
  panel: Panel | null
  /** The agent and model that were guessed before the person's message came. Undefined afterwards. */
  sentEarlyWith?: AgentAndModel | undefined
}

const changesIDFor = (partID: string): string => `${partID}1`

/** Finds the hidden message of a history. If it is missing, or has the `changesID` of `known`, returns `known`. */
export const storedMessageIn = (history: History, known?: StoredMessage): StoredMessage | undefined => {
  const message = history.find(isHidden)
  const [firstPart, ...laterParts] = message?.parts.filter(isHiddenPart) ?? []
  if (!message || !firstPart) return known
  const changesID = laterParts.at(-1)?.id ?? changesIDFor(firstPart.id)
  // `known` is the same message. It also has `sentEarlyWith`, which is not stored.
  if (changesID === known?.changesID) return known
  return {
    messageID: message.info.id,
    partID: firstPart.id,
    changesID,
    created: message.info.time.created,
    sentPanel: readPanel([firstPart]),
    panel: readPanel(message.parts),
  }
}

/**
 * Creates the ids of a new hidden message. They begin with the earliest time of the `records` (the session and its
 * first message), because ids sort by time and the message must be the first. They end with a hash of the session's id:
 * two hosts that send the message at once use the same ids, so it is stored only once.
 */
export const newIds = (session: string, records: Array<{ time: { created: number } } | undefined>) => {
  const created = Math.min(Date.now(), ...records.flatMap((record) => record?.time.created ?? []))
  const id = idPrefixAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  const partID = `prt_${id}`
  return { messageID: `msg_${id}`, partID, changesID: changesIDFor(partID), created }
}
