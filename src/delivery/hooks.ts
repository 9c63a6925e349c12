import type { PluginInput } from '@opencode-ai/plugin'
import { findInstructions } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { type HooksPart, RefusedCall } from '../host/join-hooks.ts'
import { type Log, logOf } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import { isHiddenPart } from '../host/panel-schema.ts'
import type { Toast } from '../host/toast.ts'
import { projectRoot } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { within } from '../safe.ts'
import { Delivery } from './delivery.ts'
import { type AgentAndModel, agentAndModelOf } from './history.ts'
import { reporter } from './rule-warnings.ts'
import { RulesReader } from './rules-on-disk.ts'

/** What the delivery of rules is made from. */
export type RuleDeliveryInput = Pick<PluginInput, 'client' | 'directory' | 'worktree'> & {
  log: Log
  toast: Toast
  options: Pick<Options, 'rules' | 'debug'>
  /** The host's merged config. */
  config: () => HostConfig | undefined
}

// How long a disk is waited for at most.
const PATIENCE_MS = 10_000

// The host's agent where nobody chose another.
const DEFAULT_AGENT = 'build'

/**
 * Gives the agent and model to store a hidden message with in a session that nothing is known of: the model of the
 * config, or none. It gives undefined where the default agent has a model of its own: the host would store the message
 * with that model, and a session under another agent would keep it.
 */
const defaultAgentAndModel = ({ model, agent, default_agent }: HostConfig): AgentAndModel | undefined => {
  // A model is named `provider/model`, and the model's name may have slashes.
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(model ?? '') ?? []
  if (providerID && modelID) return { model: { providerID, modelID } }
  return agent?.[default_agent ?? DEFAULT_AGENT]?.model ? undefined : {}
}

/** Makes the delivery of one instance of the host. */
const deliveryOf = async (input: RuleDeliveryInput): Promise<Delivery> => {
  const { client, directory, worktree, log, options, toast } = input
  const config = (): HostConfig => input.config() ?? {}
  const given = { directory, worktree: projectRoot({ directory, worktree: worktree ?? '' }) }
  const places = {
    given,
    real: { directory: await realPathOr(given.directory), worktree: await realPathOr(given.worktree) },
  }
  const isDebug = options.debug === true || process.env['SAT_DEBUG'] === '1'
  // "The system SHALL log: Discovered global rule: global-rule.md", so no prefix. The host's log drops what is below
  // `info`.
  const verbatim = logOf(client, '')
  const debug = (line: string): void => void (isDebug && verbatim('info', line))
  const report = reporter({ place: places.real, log, toast, debug })
  const reader = new RulesReader({
    place: places.real,
    directories: options.rules ? options.rules.directories ?? [] : [],
    instructions: async () => {
      const host = hostViewOf({ worktree: await realPathOr(worktree ?? '') }, config())
      return (await findInstructions(places.real.directory, host)).paths
    },
  })
  return new Delivery({
    client,
    log,
    debug,
    readRules: async (isFresh) => {
      const onDisk = await within(PATIENCE_MS, reader.read(isFresh))
      if (onDisk.error === null) report(onDisk.data)
      return onDisk
    },
    places,
    defaultAgentAndModel: () => defaultAgentAndModel(config()),
    defaultAgent: () => config().default_agent ?? DEFAULT_AGENT,
  })
}

/** Makes the hooks that bring rule files to sessions; none where the option `rules` is `false`. */
export const ruleDelivery = async (input: RuleDeliveryInput): Promise<HooksPart> => {
  const { rules } = input.options
  if (rules === false) return {}
  const delivery = await deliveryOf(input)
  return {
    event: async ({ event }) => {
      if (event.type === 'session.created') {
        const { info } = event.properties
        await delivery.created(info.id, agentAndModelOf(info as object))
      }
      if (event.type === 'session.updated') {
        const { id, revert } = event.properties.info
        await delivery.undone(id, revert?.messageID)
      }
      if (event.type === 'session.compacted') await delivery.compacted(event.properties.sessionID)
      if (event.type === 'session.deleted') delivery.deleted(event.properties.info.id)
    },
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const hidden = parts.find(isHiddenPart)
      if (!hidden) return delivery.received(sessionID, agentAndModelOf(message))
      // It stands first in the history.
      if (hidden.type === 'text' && hidden.time) message.time.created = hidden.time.start
    },
    'experimental.session.compacting': async ({ sessionID }) => delivery.compacting(sessionID),
    'tool.execute.before': async ({ tool, sessionID }, { args }) => {
      const refusal = rules?.before_write === false ? null : await delivery.refusal(sessionID, tool, args)
      if (refusal !== null) throw new RefusedCall(refusal)
    },
    'experimental.chat.messages.transform': (_, { messages }) => delivery.present(messages),
  }
}
