import type { HostConfig } from '../host/config.ts'
import type { AgentAndModel } from './history.ts'

const modelNamed = (name: string | undefined): AgentAndModel['model'] => {
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(name ?? '') ?? []
  return providerID && modelID ? { providerID, modelID } : undefined
}

/**
 * Where nobody named an agent the host takes the default one, and with it that agent's own model, which a session
 * under another agent would keep.
 */
export const defaultAgentAndModel = (
  { model: name, agent, default_agent }: HostConfig,
): AgentAndModel | undefined => {
  const model = modelNamed(name)
  if (model) return { model }
  return agent?.[default_agent ?? 'build']?.model ? undefined : {}
}

/** What the event of a session's creation says of its agent and model, which the host's types leave out. */
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
