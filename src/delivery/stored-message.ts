/** Finds the stored hidden message of a session in a history, and creates the ids of a new one. */
import { createHash } from 'node:crypto'
import { idPrefixAt } from '../host/message-parts.ts'
import { isHiddenPart, type Panel, readPanel } from '../host/panel-schema.ts'
import { type AgentAndModel, type History, isHidden } from './history.ts'

/** A hidden message as it is stored. */
export type StoredMessage = {
  messageID: string
  /** The id of its first part, which has its text and the panel with which it was sent. */
  partID: string
  /** The id of its second part, which has the changes of the panel since then. */
  changesID: string
  created: number
  sentPanel: Panel | null
  /** The panel with all changes. */
  panel: Panel | null
  /** The agent and model with which it was sent; undefined if the person's message caused that, or followed it. */
  sentEarlyWith?: AgentAndModel | undefined
}

/**
 * Finds the hidden message of a history by its metadata, which a fork keeps. Returns undefined if there is none, or
 * nothing new: `known` has the id of its last part.
 */
export const storedMessageIn = (
  history: History,
  known: StoredMessage | undefined,
): StoredMessage | undefined => {
  const { info, parts = [] } = history.find(isHidden) ?? {}
  const [firstPart, ...changes] = parts.filter(isHiddenPart)
  const changesID = changes.at(-1)?.id ?? `${firstPart?.id}1`
  if (!info || !firstPart || changesID === known?.changesID) return undefined
  const { id: messageID, time: { created } } = info
  return {
    messageID,
    partID: firstPart.id,
    changesID,
    created,
    sentPanel: readPanel([firstPart]),
    panel: readPanel(parts),
  }
}

/**
 * Creates the ids of a new hidden message and its two parts. They begin with the time at which the earliest of the
 * records was created, and sort before all other ids of that millisecond. Their end depends only on the session, so
 * that two hosts that send at once store one message.
 */
export const newIds = (session: string, records: Array<{ time: { created: number } } | undefined>) => {
  const created = Math.min(Date.now(), ...records.flatMap((record) => record?.time.created ?? []))
  const id = idPrefixAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  return { messageID: `msg_${id}`, partID: `prt_${id}`, changesID: `prt_${id}1`, created }
}
