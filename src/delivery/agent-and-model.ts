import type { HostConfig } from '../host/config.ts'
import { type Entry, hiddenPartOf, type History } from './history.ts'

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

/** Finds the newest user message of a history that is not SAT's own. */
export const lastUserMessageOf = (history: History): UserMessage | undefined => {
  const newest = history.findLast(({ info, parts }) => info.role === 'user' && !hiddenPartOf(parts))
  return newest?.info.role === 'user'
    ? { agentAndModel: agentAndModelOf(newest.info), created: newest.info.time.created }
    : undefined
}

// How the host's config names a model: `provider/model`, and the model's name may have slashes.
const MODEL = /^([^/]+)\/(.+)$/

const modelNamed = (name: string | undefined): AgentAndModel['model'] => {
  const [, providerID, modelID] = MODEL.exec(name ?? '') ?? []
  return providerID && modelID ? { providerID, modelID } : undefined
}

/**
 * Gives the agent and model to store a hidden message with in a session that nothing is known of: the model of the
 * config, or none. It gives undefined where the default agent has a model of its own: the host would store the message
 * with that model, and a session under another agent would keep it.
 */
export const defaultAgentAndModel = (
  { model: name, agent, default_agent }: HostConfig,
): AgentAndModel | undefined => {
  const model = modelNamed(name)
  if (model) return { model }
  return agent?.[default_agent ?? 'build']?.model ? undefined : {}
}

/** Reads the agent and model of a created session from the event, whose types leave them out; undefined without any. */
export const createdWith = (info: object): AgentAndModel | undefined => {
  const { agent, model } = info as {
    agent?: string
    model?: { id: string; providerID: string; variant?: string }
  }
  const { id: modelID, providerID, variant } = model ?? {}
  if (!agent && !modelID) return undefined
  return {
    ...(agent ? { agent } : {}),
    ...(modelID && providerID ? { model: { modelID, providerID } } : {}),
    ...(variant && variant !== 'default' ? { variant } : {}),
  }
}
