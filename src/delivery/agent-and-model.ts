import type { HostConfig } from '../host/config.ts'
import type { AgentAndModel } from './history.ts'

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
