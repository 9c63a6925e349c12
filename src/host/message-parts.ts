import { fail, ok, type Result } from '../safe.ts'
import { callHost, type Client, httpClientOf } from './client.ts'
import type { Hooks } from './join-hooks.ts'

/** A session's messages, as the host hands them to `experimental.chat.messages.transform`. */
export type History = Parameters<
  NonNullable<Hooks['experimental.chat.messages.transform']>
>[1]['messages']
/** A message of a history, and a part of one. */
export type Entry = History[number]
export type EntryPart = Entry['parts'][number]

type ToolPart = Extract<EntryPart, { type: 'tool' }>
/** A call that has succeeded. */
export type DonePart = ToolPart & { state: Extract<ToolPart['state'], { status: 'completed' }> }

/** Whether a part is a call that has succeeded. */
export const isDone = (part: EntryPart): part is DonePart =>
  part.type === 'tool' && part.state.status === 'completed'

/** Gives the metadata of a call; empty where another plugin removed it. */
export const metadataOf = ({ state }: DonePart): Record<string, unknown> => ({ ...state.metadata })

/** Reads all messages of a session, those before a compaction included. */
export const historyOf = async (client: Client, id: string): Promise<Result<History>> => {
  const { data, error } = await callHost(() => client.session.messages({ path: { id } }))
  return error === null ? ok(data ?? []) : fail(`its history could not be read: ${error}`)
}

/** Lists the calls of a history that have succeeded, in their order. */
export const donePartsOf = (history: History): Array<DonePart> =>
  history.flatMap(({ parts }) => parts.filter(isDone))

/** The key of SAT's own data in the metadata of a part or a tool's answer. */
export const METADATA_KEY = 'opencode-sat'

/** Makes the beginning of an id of the host, by which ids sort: a time in hexadecimal, and a counter, here of zero. */
export const idAt = (time: number): string =>
  BigInt.asUintN(48, BigInt(time) * 4_096n).toString(16).padStart(12, '0')

/**
 * Makes the fields of a text part that holds SAT's own data: no model reads it, and the host makes neither a title nor a
 * summary of it.
 */
export const unseenText = (text: string, metadata: Record<string, unknown>) => ({
  type: 'text' as const,
  text,
  synthetic: true,
  ignored: true,
  metadata,
})

/** How the answer of a call begins that was refused until its rules are shown; a failed call's does not. */
export const RULES_FIRST = 'Rules come first:'

/**
 * Replaces the stored part of a message that has the same id; gives why it could not. Nothing else of the session
 * changes: a prompt would reset its agent and make an undo final. The host's client has no method for it.
 */
export const storePart = (client: Client, part: EntryPart): Promise<Result<unknown>> =>
  callHost(() =>
    httpClientOf(client).patch({
      url: '/session/{sessionID}/message/{messageID}/part/{partID}',
      path: { sessionID: part.sessionID, messageID: part.messageID, partID: part.id },
      body: part,
      headers: { 'content-type': 'application/json' },
    })
  )
