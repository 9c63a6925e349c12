/** A session's history as the host hands it over, and what is read from it. */
import type { Hooks } from '../host/join-hooks.ts'
import { isHiddenPart } from '../host/panel-schema.ts'

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

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** Whether a message is the hidden one: by its metadata, which a fork keeps. */
export const isHidden = ({ parts }: { parts: Array<EntryPart> }): boolean => parts.some(isHiddenPart)

/** Gives the message that asked for the last completed compaction of a history; undefined where there is none. */
export const lastCompactionOf = (history: History): Entry['info'] | undefined => {
  const summedUp = new Set(
    history.flatMap(({ info }) =>
      info.role === 'assistant' && info.summary && info.finish && !info.error ? [info.parentID] : []
    ),
  )
  return history.filter(({ info, parts }) =>
    summedUp.has(info.id) && parts.some(({ type }) => type === 'compaction')
  ).map(({ info }) => info).reduce<Entry['info'] | undefined>(
    (last, info) => (last && last.time.created >= info.time.created ? last : info),
    undefined,
  )
}

/** Whether the host may make the session's title from this history: it has one message of the person's. */
export const mayGetTitle = (history: History): boolean =>
  history.filter(({ info, parts }) =>
    info.role === 'user' && !parts.every((part) => part.type === 'text' && part.synthetic)
  ).length === 1

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

/** Whether two user messages have the same agent, model and variant. */
export const isSameAgentAndModel = (one: AgentAndModel, other: AgentAndModel): boolean =>
  one.agent === other.agent && one.variant === other.variant
  && one.model?.providerID === other.model?.providerID && one.model?.modelID === other.model?.modelID

/** Reads the agent and model of the newest message of the person's; undefined where there is none. */
export const lastAgentAndModelOf = (history: History): AgentAndModel | undefined => {
  const newest = history.findLast((entry) => entry.info.role === 'user' && !isHidden(entry))
  return newest && agentAndModelOf(newest.info as UserInfo)
}
