/** Finds a session's hidden message, which stores the panel for the terminal, and creates ids for a new one. */
import { createHash } from 'node:crypto'
import { idPrefixAt } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, readPanel } from '../host/panel-schema.ts'
import { type AgentAndModel, type History, isHidden } from './history.ts'

/** A stored hidden message, with the sent panel in its first part and later changes in a second part. */
export type StoredMessage = {
  messageID: string
  partID: string
  /** The id of the second part, even if that part is not stored yet. */
  changesID: string
  created: number
  sentPanel: Panel | null
  panel: Panel | null
  /** The agent and model that were guessed before the person's message came. */
  sentEarlyWith?: AgentAndModel | undefined
}

const changesIDFor = (partID: string): string => `${partID}1`

/** Returns `known` if the history lacks the hidden message, or has the same one. */
export const storedMessageIn = (history: History, known?: StoredMessage): StoredMessage | undefined => {
  const message = history.find(isHidden)
  const [firstPart, ...laterParts] = message?.parts.filter(isHiddenPart) ?? []
  if (!message || !firstPart) return known
  const changesID = laterParts.at(-1)?.id ?? changesIDFor(firstPart.id)
  // Only `known` has `sentEarlyWith`, which is not stored.
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

export const newIds = (session: string, records: Array<{ time: { created: number } } | undefined>) => {
  // Ids sort by time, and the hidden message must be the session's first.
  const created = Math.min(Date.now(), ...records.flatMap((record) => record?.time.created ?? []))
  // If two hosts send the message at once, the ids must be equal, so that it is stored only once.
  const id = idPrefixAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  const partID = `prt_${id}`
  return { messageID: `msg_${id}`, partID, changesID: changesIDFor(partID), created }
}
