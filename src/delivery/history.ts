/** Finds the last summary of a session, the messages that a request lacks, and the agent and model in use. */
import type { HostConfig } from '../host/config.ts'
import type { History, Message } from '../host/message-parts.ts'
import { isHiddenPart } from '../host/panel-schema.ts'

export { type History, historyOf, type Message, type MessagePart } from '../host/message-parts.ts'

type UserInfo = Extract<Message['info'], { role: 'user' }>

/** Compares times, because the messages in a request may be out of order. */
export const lastSummaryOf = (history: History): Message['info'] | undefined =>
  history.filter(({ info }) => info.role === 'assistant' && info.summary && info.finish && !info.error)
    .map(({ info }) => info)
    .toSorted((one, other) => one.time.created - other.time.created).at(-1)

/** Returns the messages of `whole` that a request's `history` lacks. With a `summary`, omits all later messages. */
export const missingMessages = (whole: History, history: History, summary: Message['info'] | undefined) => {
  const present = new Set(history.map(({ info }) => info.id))
  const end = summary?.time.created ?? Infinity
  return whole.filter(({ info }) => !present.has(info.id) && info.time.created < end)
}

/** Whether this is the hidden message, which stores the panel for the terminal. No model reads this message. */
export const isHidden = ({ info, parts }: Message): boolean =>
  info.role === 'user' && parts.some(isHiddenPart)

/** The host uses the agent, model and variant of a user message for the answer. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** Reads a user message or a new session. Returns undefined if it has no agent, no model and no variant. */
export const agentAndModelOf = ({ agent, model }: { agent?: unknown; model?: unknown }) => {
  // In a session's model, the key is `id` instead of `modelID`.
  const { providerID, id, modelID = id, variant } = Object(model) as Record<string, string | undefined>
  const found: AgentAndModel = {
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant && variant !== 'default' ? { variant } : {}),
  }
  return Object.keys(found).length > 0 ? found : undefined
}

export const lastAgentAndModelOf = (history: History): AgentAndModel | undefined => {
  const newest = history.findLast(({ info, parts }) =>
    info.role === 'user' && !parts.some((part) => isHiddenPart(part) || part.type === 'compaction')
  )
  return newest && agentAndModelOf(newest.info as UserInfo)
}

export const agentOf = (
  message: AgentAndModel | undefined,
  { default_agent = 'build' }: HostConfig,
): string => message?.agent ?? default_agent

/**
 * Returns the config's model. If the config has no model, returns `{}`, with which the host chooses a model. If the
 * config has no model, but the default agent has one, the host would choose that one, and the session would keep it for
 * all agents, so undefined is returned.
 */
export const defaultAgentAndModel = (config: HostConfig): AgentAndModel | undefined => {
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(config.model ?? '') ?? []
  if (providerID && modelID) return { model: { providerID, modelID } }
  return config.agent?.[agentOf(undefined, config)]?.model ? undefined : {}
}
