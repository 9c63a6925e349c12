import type { Hooks } from '../host/join-hooks.ts'
/** A session's messages as the host hands them to `experimental.chat.messages.transform`. */
export type History = Parameters<
  NonNullable<Hooks['experimental.chat.messages.transform']>
>[1]['messages']
export type Entry = History[number]
export type EntryPart = Entry['parts'][number]
export type TextPart = Extract<EntryPart, { type: 'text' }>

/**
 * A place in a history: before or after a message, which is known by its role and its time in milliseconds, for a
 * fork keeps these while it gives each message another id.
 */
export type HistoryPlace = { role: 'user' | 'assistant'; created: number; side: 'before' | 'after' }

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** Whose a user message is: the agent, model and variant that the host goes on with. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** The agent, model and variant of a user message. */
export const agentAndModelOf = ({ agent, model }: UserInfo): AgentAndModel => {
  // The host's own types lag behind what it stores, and what older ones stored may have no model.
  const { providerID, modelID, variant } = Object(model) as Partial<UserInfo['model']> & { variant?: string }
  return {
    agent,
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant ? { variant } : {}),
  }
}

export const isSameAgentAndModel = (one: AgentAndModel, other: AgentAndModel): boolean =>
  one.agent === other.agent && one.variant === other.variant
  && one.model?.providerID === other.model?.providerID && one.model?.modelID === other.model?.modelID

/** What somebody said to a session: under which agent, model and variant, and when, in milliseconds. */
export type UserMessage = { agentAndModel: AgentAndModel; created: number }

/** The key of SAT's own data in a part's metadata. */
export const METADATA_KEY = 'opencode-sat'

/** The part of a message that holds a session's rules, known by its metadata, after a restart and in a fork too. */
export const hiddenPartOf = (parts: Array<EntryPart>): TextPart | undefined =>
  parts.find((part): part is TextPart => part.type === 'text' && part.metadata?.[METADATA_KEY] !== undefined)

/** The newest user message of a history that is not SAT's own. */
export const lastUserMessageOf = (history: History): UserMessage | undefined => {
  const newest = history.findLast(({ info, parts }) => info.role === 'user' && !hiddenPartOf(parts))
  return newest?.info.role === 'user'
    ? { agentAndModel: agentAndModelOf(newest.info), created: newest.info.time.created }
    : undefined
}

/** When the last compaction of a history was asked for, in milliseconds; `null` where none was completed. */
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

/** Whether a model has answered anything in a history: only then was anything sent to it. */
export const hasAnswer = (history: History): boolean => history.some(({ info }) => info.role === 'assistant')

/** Whether the host may make the session's title from this history: one message of the person's, as yet. */
export const mayGetTitle = (history: History): boolean =>
  history.filter(({ info, parts }) =>
    info.role === 'user' && !parts.every((part) => part.type === 'text' && part.synthetic)
  ).length === 1
