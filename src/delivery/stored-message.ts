/** Finds a session's hidden message, which stores the panel (what the terminal shows); creates the ids of a new one. */
import { createHash } from 'node:crypto'
import { idPrefixAt } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, readPanel } from '../host/panel-schema.ts'
import { type AgentAndModel, type History, isHidden } from './history.ts'

/** A hidden message as it is stored, in two parts. The second part is missing until the panel changes. */
export type StoredMessage = {
  messageID: string
  /** The id of the first part, which holds the panel with which the message was sent. */
  partID: string
  /** The id of the second part, which holds the fields of the panel that have changed since then. */
  changesID: string
  created: number
  /** The panel of the first part. */
  sentPanel: Panel | null
  /** The present panel: that of the first part, with the changes of the second. */
  panel: Panel | null
  /** The agent and model with which SAT sent it ahead of a message of the person, until that message follows. */
  sentEarlyWith?: AgentAndModel | undefined
}

/**
 * Finds the hidden message of a history by its metadata, because in a fork it has other ids. Returns undefined if there
 * is none, or if its second part is that of `known`: then nothing is new. In a fork, this part may arrive later.
 */
export const storedMessageIn = (
  history: History,
  known: StoredMessage | undefined,
): StoredMessage | undefined => {
  const message = history.find(isHidden)
  const [firstPart, ...laterParts] = message?.parts.filter(isHiddenPart) ?? []
  if (!message || !firstPart) return undefined
  // A second part that does not exist yet will get such an id, as in `newIds`.
  const changesID = laterParts.at(-1)?.id ?? `${firstPart.id}1`
  if (changesID === known?.changesID) return undefined
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
 * Creates the ids of a new hidden message and its two parts. Ids sort by the time at their start, and this message must
 * be the first: so the time is that of the earliest record (the session or its first message), and the ids sort before
 * all others of that millisecond. The rest depends only on the session: two hosts that send at once store one message.
 */
export const newIds = (session: string, records: Array<{ time: { created: number } } | undefined>) => {
  const created = Math.min(Date.now(), ...records.flatMap((record) => record?.time.created ?? []))
  const id = idPrefixAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  return { messageID: `msg_${id}`, partID: `prt_${id}`, changesID: `prt_${id}1`, created }
}
