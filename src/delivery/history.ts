/** Finds the last summary of a session, the messages that a request lacks, and the agent and model in use. */
import type { HostConfig } from '../host/config.ts'
import type { History, Message } from '../host/message-parts.ts'
import { isHiddenPart } from '../host/panel-schema.ts'

export { type History, historyOf, type Message, type MessagePart } from '../host/message-parts.ts'

type UserInfo = Extract<Message['info'], { role: 'user' }>

/** Returns the newest summary of a completed compaction. Compares times, because a request may reorder messages. */
export const lastSummaryOf = (history: History): Message['info'] | undefined =>
  history.filter(({ info }) => info.role === 'assistant' && info.summary && info.finish && !info.error)
    .map(({ info }) => info)
    .toSorted((one, other) => one.time.created - other.time.created).at(-1)

/** Returns the messages of `whole` that a request's `history` lacks. With a summary, omits messages after it. */
export const missingMessages = (whole: History, history: History, summary: Message['info'] | undefined) => {
  const present = new Set(history.map(({ info }) => info.id))
  const end = summary?.time.created ?? Infinity
  return whole.filter(({ info }) => !present.has(info.id) && info.time.created < end)
}

/** Whether a message is the hidden message, which stores the panel for the terminal and which no model reads. */
export const isHidden = ({ info, parts }: Message): boolean =>
  info.role === 'user' && parts.some(isHiddenPart)

/** The agent, model and variant of a user message. The host uses them for the answer. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** Reads the agent, model and variant of a user message or a new session; undefined if all three are missing. */
export const agentAndModelOf = (
  { agent, model }: { agent?: unknown; model?: unknown },
): AgentAndModel | undefined => {
  // In a session's model, the key is `id` instead of `modelID`. The host's types omit this model.
  const { providerID, id, modelID = id, variant } = Object(model) as Record<string, string | undefined>
  const found = {
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant && variant !== 'default' ? { variant } : {}),
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** Reads the agent and model of the person's newest message; undefined if the person has sent no message. */
export const lastAgentAndModelOf = (history: History): AgentAndModel | undefined => {
  const newest = history.findLast(({ info, parts }) =>
    info.role === 'user' && !parts.some((part) => isHiddenPart(part) || part.type === 'compaction')
  )
  return newest && agentAndModelOf(newest.info as UserInfo)
}

/** Returns the agent of a message; if it has none, the host's default agent. */
export const agentOf = (
  message: AgentAndModel | undefined,
  { default_agent = 'build' }: HostConfig,
): string => message?.agent ?? default_agent

/**
 * Returns the config's model, for the hidden message of a session without messages. If the config has no model, but the
 * default agent has its own, returns undefined, so that the message is not sent yet: the host would choose the agent's
 * model, and the session would keep this model for other agents. If neither has a model, returns `{}`, so that the host
 * chooses a model.
 */
export const defaultAgentAndModel = (config: HostConfig): AgentAndModel | undefined => {
  // A model is named `provider/model`, and the model's name may have slashes.
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(config.model ?? '') ?? []
  if (providerID && modelID) return { model: { providerID, modelID } }
  return config.agent?.[agentOf(undefined, config)]?.model ? undefined : {}
}
