/** A session's history as the host hands it over, and what is read from it. */
import { callHost, type Client } from '../host/client.ts'
import type { Hooks } from '../host/join-hooks.ts'
import { isHiddenPart } from '../host/panel-schema.ts'
import { ok, type Result } from '../safe.ts'

/** A session's messages as the host hands them to `experimental.chat.messages.transform`. */
export type History = Parameters<
  NonNullable<Hooks['experimental.chat.messages.transform']>
>[1]['messages']
/** A message of a history with its parts. */
export type Entry = History[number]
/** A part of a message. */
export type EntryPart = Entry['parts'][number]

/** Whether a part of a message is complete: all but a running call. */
export const isSettled = (part: EntryPart): boolean =>
  part.type !== 'tool' || part.state.status === 'completed' || part.state.status === 'error'

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** Reads all messages of a session, those before a compaction included. */
export const historyOf = async (client: Client, id: string): Promise<Result<History>> => {
  const answered = await callHost(() => client.session.messages({ path: { id } }))
  if (answered.error === null) return ok(Array.isArray(answered.data) ? answered.data : [])
  return { data: null, error: `its history could not be read: ${answered.error}` }
}

/** Gives the message that asked for the last completed compaction of a history; undefined where there is none. */
export const lastCompactionOf = (history: History): Entry['info'] | undefined => {
  const summedUp = new Set(
    history.flatMap(({ info }) =>
      info.role === 'assistant' && info.summary && info.finish && !info.error ? [info.parentID] : []
    ),
  )
  // The messages that a compaction keeps stand after its summary, an earlier compaction among them.
  return history.filter((entry) => summedUp.has(entry.info.id) && isCompaction(entry)).map(({ info }) => info)
    .toSorted((one, other) => one.time.created - other.time.created).at(-1)
}

/** The agent, model and variant of a user message, with which the host goes on. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** Reads the agent, model and variant of a user message, or of a session that was created with them. */
export const agentAndModelOf = ({ agent, model }: { agent?: unknown; model?: unknown }): AgentAndModel => {
  // The host's types are older than its data: a session's model has `id` where a message's has `modelID`.
  const { providerID, id, modelID = id, variant } = Object(model) as Record<string, string | undefined>
  return {
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant && variant !== 'default' ? { variant } : {}),
  }
}

const isCompaction = ({ parts }: Entry): boolean => parts.some(({ type }) => type === 'compaction')

/** Reads the agent and model of the newest message of the person's; undefined where there is none. */
export const lastAgentAndModelOf = (history: History): AgentAndModel | undefined => {
  const newest = history.findLast((entry) =>
    entry.info.role === 'user' && !entry.parts.some(isHiddenPart) && !isCompaction(entry)
  )
  return newest && agentAndModelOf(newest.info as UserInfo)
}
