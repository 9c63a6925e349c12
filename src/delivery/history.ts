/** A session's history as the host hands it over, and what is read from it. */
import type { Hooks } from '../host/join-hooks.ts'
import { METADATA_KEY } from '../host/message-parts.ts'

/** A session's messages as the host hands them to `experimental.chat.messages.transform`. */
export type History = Parameters<
  NonNullable<Hooks['experimental.chat.messages.transform']>
>[1]['messages']
/** A message of a history with its parts. */
export type Entry = History[number]
/** A part of a message. */
export type EntryPart = Entry['parts'][number]
/** A part of a message that is text. */
export type TextPart = Extract<EntryPart, { type: 'text' }>

/**
 * A place in a history: before or after a message, which is known by its role and its time in milliseconds, for a
 * fork keeps these while it gives each message another id.
 */
export type HistoryPlace = { role: 'user' | 'assistant'; created: number; side: 'before' | 'after' }

/** Finds the part of a hidden message that holds a session's rules: by its metadata, which a fork keeps. */
export const hiddenPartOf = (parts: Array<EntryPart>): TextPart | undefined =>
  parts.find((part): part is TextPart => part.type === 'text' && part.metadata?.[METADATA_KEY] !== undefined)

/** Gives when the last completed compaction of a history was asked for, in milliseconds; `null` where there is none. */
export const lastCompactionOf = (history: History): number | null => {
  const summedUp = new Set(
    history.flatMap(({ info }) =>
      info.role === 'assistant' && info.summary && info.finish && !info.error ? [info.parentID] : []
    ),
  )
  const times = history
    .filter(({ info, parts }) => summedUp.has(info.id) && parts.some(({ type }) => type === 'compaction'))
    .map(({ info }) => info.time.created)
  return times.length > 0 ? Math.max(...times) : null
}

/** Whether a model has answered in a history: before that nothing was sent to it. */
export const hasAnswer = (history: History): boolean => history.some(({ info }) => info.role === 'assistant')

/** Whether the host may make the session's title from this history, which has one message of the person's. */
export const mayGetTitle = (history: History): boolean =>
  history.filter(({ info, parts }) =>
    info.role === 'user' && !parts.every((part) => part.type === 'text' && part.synthetic)
  ).length === 1
