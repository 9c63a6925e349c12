/** Reads the messages of a session, and stores SAT's data in them. */
import { fail, ok, type Result } from '../safe.ts'
import { callHost, type Client, httpClientOf } from './client.ts'
import type { Hooks } from './join-hooks.ts'

export type History = Parameters<NonNullable<Hooks['experimental.chat.messages.transform']>>[1]['messages']
export type Message = History[number]
export type MessagePart = Message['parts'][number]

export type ToolPart = Extract<MessagePart, { type: 'tool' }>
export type CompletedCall = ToolPart & { state: Extract<ToolPart['state'], { status: 'completed' }> }

export const isCompletedCall = (part: MessagePart): part is CompletedCall =>
  part.type === 'tool' && part.state.status === 'completed'

/** Returns a copy, which is empty if another plugin removed the metadata. */
export const metadataOf = ({ state }: ToolPart): Record<string, unknown> => ({ ...Object(state).metadata })

/** Reads all messages of a session, even the messages before a compaction. */
export const historyOf = async (client: Client, id: string): Promise<Result<History>> => {
  const { data, error } = await callHost(() => client.session.messages({ path: { id } }))
  return error === null ? ok(data ?? []) : fail(`its history could not be read: ${error}`)
}

export const completedCallsOf = (history: History): Array<CompletedCall> =>
  history.flatMap(({ parts }) => parts.filter(isCompletedCall))

export const METADATA_KEY = 'opencode-sat'

/** Returns the start of an id of the host: the time in milliseconds, and a counter of 0. `255` → `0000000ff000` */
export const idPrefixAt = (time: number): string =>
  BigInt.asUintN(48, BigInt(time) * 4_096n).toString(16).padStart(12, '0')

/** In a user message, the host leaves this part out of requests, titles and summaries. */
export const hiddenTextPart = (text: string, metadata: Record<string, unknown>) =>
  ({ type: 'text', text, synthetic: true, ignored: true, metadata }) as const

/** Begins the answer if SAT refuses to create a file whose rules the model has not seen. */
export const RULES_FIRST = 'Rules come first:'

/** Stores a part without a prompt, because a prompt would reset the agent and make an undo final. */
export const storePart = (client: Client, part: MessagePart): Promise<Result<unknown>> =>
  callHost(() =>
    httpClientOf(client).patch({
      url: '/session/{sessionID}/message/{messageID}/part/{partID}',
      path: { sessionID: part.sessionID, messageID: part.messageID, partID: part.id },
      body: part,
      headers: { 'content-type': 'application/json' },
    })
  )
