/** Finds a session's hidden message, which stores the panel that the terminal shows; creates the ids of a new one. */
import { createHash } from 'node:crypto'
import { idPrefixAt } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, readPanel } from '../host/panel-schema.ts'
import { type AgentAndModel, type History, isHidden } from './history.ts'

/** A hidden message has two parts: one stores the panel as sent, the other the fields that have changed since. */
export type StoredMessage = {
  messageID: string
  partID: string
  /** The id of the second part, even before that is stored. */
  changesID: string
  created: number
  /** The panel in the first part. */
  sentPanel: Panel | null
  /** The panel in the first part, with the changes in the second. */
  panel: Panel | null
  /** The agent and model, if the message was sent ahead of the person's; undefined once the person's follows. */
  sentEarlyWith?: AgentAndModel | undefined
}

/** Finds a hidden message by its metadata: a fork has other ids. Returns `known` if there is no other. */
export const storedMessageIn = (history: History, known?: StoredMessage): StoredMessage | undefined => {
  const message = history.find(isHidden)
  const [firstPart, ...laterParts] = message?.parts.filter(isHiddenPart) ?? []
  if (!message || !firstPart) return known
  // If there is no second part yet, this is the id that it will get, as in `newIds`.
  const changesID = laterParts.at(-1)?.id ?? `${firstPart.id}1`
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
 * Creates the ids of a new hidden message. They begin with the session's earliest time, because ids sort by time and
 * this message must be the first. The rest depends only on the session: two hosts that send at once store one message.
 */
export const newIds = (session: string, records: Array<{ time: { created: number } } | undefined>) => {
  const created = Math.min(Date.now(), ...records.flatMap((record) => record?.time.created ?? []))
  const id = idPrefixAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  return { messageID: `msg_${id}`, partID: `prt_${id}`, changesID: `prt_${id}1`, created }
}
