/** What is read from a session's history: its last summary, and the agent and model in use. */
import type { HostConfig } from '../host/config.ts'
import type { Entry, History } from '../host/message-parts.ts'
import { isHiddenPart } from '../host/panel-schema.ts'

export { type Entry, type EntryPart, type History, historyOf } from '../host/message-parts.ts'

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** Returns the summary of the last completed compaction; the messages that the compaction kept come after it. */
export const lastSummaryOf = (history: History): Entry['info'] | undefined =>
  history.filter(({ info }) => info.role === 'assistant' && info.summary && info.finish && !info.error)
    .map(({ info }) => info)
    .toSorted((one, other) => one.time.created - other.time.created).at(-1)

/** Returns the messages that a request's history lacks: those before a summary, and those that another plugin removed. */
export const missingMessages = (
  whole: History,
  history: History,
  summary: Entry['info'] | undefined,
): History => {
  const shown = new Set(history.map(({ info }) => info.id))
  const end = summary?.time.created ?? Infinity
  return whole.filter(({ info }) => !shown.has(info.id) && info.time.created < end)
}

/** Tells whether a message is the hidden one of its session, which no model reads. */
export const isHidden = ({ info, parts }: Entry): boolean => info.role === 'user' && parts.some(isHiddenPart)

/** The agent, model and variant of a user message, which the host uses for its answer. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** Reads the agent, model and variant of a user message, or of a session that was created with them; undefined if none. */
export const agentAndModelOf = (
  { agent, model }: { agent?: unknown; model?: unknown },
): AgentAndModel | undefined => {
  // The host's types are older than its data: a session's model has `id` where a message's has `modelID`.
  const { providerID, id, modelID = id, variant } = Object(model) as Record<string, string | undefined>
  const found = {
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant && variant !== 'default' ? { variant } : {}),
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** Reads the agent and model of the person's newest message; undefined if there is none. */
export const lastAgentAndModelOf = (history: History): AgentAndModel | undefined => {
  const newest = history.findLast(({ info, parts }) =>
    info.role === 'user' && !parts.some((part) => isHiddenPart(part) || part.type === 'compaction')
  )
  return newest && agentAndModelOf(newest.info as UserInfo)
}

/** Returns the agent of a message, or without one, the host's default agent. */
export const agentOf = (
  message: AgentAndModel | undefined,
  { default_agent = 'build' }: HostConfig,
): string => message?.agent ?? default_agent

/**
 * Returns the agent and model with which to store a hidden message in a session that has no message yet: the model of the
 * config, or none. Returns undefined if the default agent has a model of its own: the host would store the message with
 * that model, and a session under another agent would then keep it.
 */
export const defaultAgentAndModel = (config: HostConfig): AgentAndModel | undefined => {
  // A model is named `provider/model`, and the model's name may have slashes.
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(config.model ?? '') ?? []
  if (providerID && modelID) return { model: { providerID, modelID } }
  return config.agent?.[agentOf(undefined, config)]?.model ? undefined : {}
}
