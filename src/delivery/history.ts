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

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** The agent, model and variant of a user message, with which the host goes on. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** Reads the agent, model and variant of a user message. */
export const agentAndModelOf = ({ agent, model }: UserInfo): AgentAndModel => {
  // The host's own types lag behind what it stores, and what older ones stored may have no model.
  const { providerID, modelID, variant } = Object(model) as Partial<UserInfo['model']> & { variant?: string }
  return {
    agent,
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant ? { variant } : {}),
  }
}

/** Whether two user messages have the same agent, model and variant. */
export const isSameAgentAndModel = (one: AgentAndModel, other: AgentAndModel): boolean =>
  one.agent === other.agent && one.variant === other.variant
  && one.model?.providerID === other.model?.providerID && one.model?.modelID === other.model?.modelID

/** A message to a session: under which agent, model and variant, and when, in milliseconds. */
export type UserMessage = { agentAndModel: AgentAndModel; created: number }

/** Finds the part of a hidden message that holds a session's rules: by its metadata, which a fork keeps. */
export const hiddenPartOf = (parts: Array<EntryPart>): TextPart | undefined =>
  parts.find((part): part is TextPart => part.type === 'text' && part.metadata?.[METADATA_KEY] !== undefined)

/** Finds the newest user message of a history that is not SAT's own. */
export const lastUserMessageOf = (history: History): UserMessage | undefined => {
  const newest = history.findLast(({ info, parts }) => info.role === 'user' && !hiddenPartOf(parts))
  return newest?.info.role === 'user'
    ? { agentAndModel: agentAndModelOf(newest.info), created: newest.info.time.created }
    : undefined
}

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
