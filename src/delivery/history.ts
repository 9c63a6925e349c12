/** A session's history as the host hands it over, and what is read from it. */
import type { HostConfig } from '../host/config.ts'
import type { Entry, History } from '../host/message-parts.ts'
import { isHiddenPart } from '../host/panel-schema.ts'

export { type Entry, type EntryPart, type History, historyOf } from '../host/message-parts.ts'

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** Gives the summary of the last completed compaction of a history; what a compaction keeps stands after it. */
export const lastSummaryOf = (history: History): Entry['info'] | undefined =>
  history.filter(({ info }) => info.role === 'assistant' && info.summary && info.finish && !info.error)
    .map(({ info }) => info)
    .toSorted((one, other) => one.time.created - other.time.created).at(-1)

/** Gives what the history of a request no longer has: the messages before a summary, or that another plugin removed. */
export const missingIn = (whole: History, history: History, summary: Entry['info'] | undefined): History => {
  const shown = new Set(history.map(({ info }) => info.id))
  const end = summary?.time.created ?? Infinity
  return whole.filter(({ info }) => !shown.has(info.id) && info.time.created < end)
}

/** Whether a message is the session's hidden one, which no model reads. */
export const isHidden = ({ info, parts }: Entry): boolean => info.role === 'user' && parts.some(isHiddenPart)

/** The agent, model and variant of a user message, with which the host goes on. */
export type AgentAndModel = { agent?: string; model?: UserInfo['model']; variant?: string }

/** Reads the agent, model and variant of a user message, or of a session that was created with them; else undefined. */
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

/** Reads the agent and model of the newest message of the person's; undefined where there is none. */
export const lastAgentAndModelOf = (history: History): AgentAndModel | undefined => {
  const newest = history.findLast(({ info, parts }) =>
    info.role === 'user' && !parts.some((part) => isHiddenPart(part) || part.type === 'compaction')
  )
  return newest && agentAndModelOf(newest.info as UserInfo)
}

/** Gives the agent of a session: that of a message, or where there is none, the host's default. */
export const agentOf = (said: AgentAndModel | undefined, { default_agent = 'build' }: HostConfig): string =>
  said?.agent ?? default_agent

/**
 * Gives the agent and model to store a hidden message with in a session that nothing is known of: the model of the
 * config, or none. It gives undefined where the default agent has a model of its own: the host would store the message
 * with that model, and a session under another agent would keep it.
 */
export const defaultAgentAndModel = (config: HostConfig): AgentAndModel | undefined => {
  // A model is named `provider/model`, and the model's name may have slashes.
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(config.model ?? '') ?? []
  if (providerID && modelID) return { model: { providerID, modelID } }
  return config.agent?.[agentOf(undefined, config)]?.model ? undefined : {}
}
