import type { PluginInput } from '@opencode-ai/plugin'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import type { Place } from '../boundary.ts'
import { instructionPaths } from '../instruction-files.ts'
import type { HooksPart } from '../join-hooks.ts'
import { type Log, logOf } from '../log.ts'
import type { Options } from '../options.ts'
import { realPathOr } from '../read-text.ts'
import { Delivery } from './delivery.ts'
import { isStoredRules, type Stamp, stampOf } from './history.ts'
import { type Rule, RuleFiles } from './rule-files.ts'
import { ruleFolders } from './rule-folders.ts'
import { touchedFiles } from './touched-files.ts'

/** What the host says of itself: its merged config, read when needed, since later plugins may still change it. */
type HostConfig = {
  instructions?: Array<string>
  model?: string
  default_agent?: string
  agent?: Record<string, { model?: string } | undefined>
}

/** The rules that the host does not send itself as instruction files. */
const unsent = async (
  rules: Array<Rule>,
  place: Place,
  instructions: Array<string>,
): Promise<Array<Rule>> => {
  if (rules.length === 0) return rules
  const { paths } = await instructionPaths({ ...place, instructions })
  const sent = new Set(await Promise.all(paths.map(realPathOr)))
  return rules.filter(({ realPath }) => !sent.has(realPath))
}

// Without a repository the host's worktree is the root of the disk.
const placeOf = (directory: string, worktree: string | undefined): Place => ({
  directory,
  worktree: worktree && dirname(worktree) !== worktree ? worktree : directory,
})

const modelNamed = (name: string | undefined): Stamp['model'] => {
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(name ?? '') ?? []
  return providerID && modelID ? { providerID, modelID } : undefined
}

/**
 * Where nobody named an agent the host takes the default one, and with it that agent's own model, which a session
 * under another agent would keep.
 */
const unsaidStamp = ({ model: name, agent, default_agent }: HostConfig): Stamp | undefined => {
  const model = modelNamed(name)
  if (model) return { model }
  return agent?.[default_agent ?? 'build']?.model ? undefined : {}
}

/** What the event of a session's creation says of its agent and model, which the host's types leave out. */
const bornWith = (info: object): Stamp | undefined => {
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

export type RuleDeliveryInput = Pick<PluginInput, 'client' | 'directory' | 'worktree'> & {
  log: Log
  options: Pick<Options, 'rules' | 'debug'>
}

/** The hooks that bring rule files to sessions (rule-discovery.md); none where the option `rules` is `false`. */
export const ruleDelivery = async (input: RuleDeliveryInput): Promise<HooksPart> => {
  const { client, directory, worktree, log, options } = input
  if (options.rules === false) return {}
  const given = placeOf(directory, worktree)
  const places = {
    given,
    real: { directory: await realPathOr(given.directory), worktree: await realPathOr(given.worktree) },
  }
  const directories = options.rules?.directories ?? []
  const folders = ruleFolders({ place: given, directories, env: process.env, home: homedir() })
  const isDebug = options.debug === true || process.env['SAT_DEBUG'] === '1'
  // The words are specified. The host drops what is below `info`, and the person asked to see this.
  const verbatim = logOf(client, '')
  const files = new RuleFiles(folders, log, (line) => isDebug && verbatim('info', line))
  let config: HostConfig = {}
  // Sessions that begin at the same time share one look at the disk.
  let look: Promise<Array<Rule>> | undefined
  const lookUp = async (): Promise<Array<Rule>> =>
    unsent(await files.discover(), { directory, worktree }, config.instructions ?? [])
  const delivery = new Delivery({
    client,
    log,
    rules: () => look ??= lookUp().finally(() => (look = undefined)),
    filesOf: (part) => touchedFiles(part, places),
    unsaidStamp: () => unsaidStamp(config),
  })
  return {
    config: async (merged) => {
      config = merged as HostConfig
    },
    event: async ({ event }) => {
      if (event.type === 'session.created') {
        const { info } = event.properties
        await delivery.created(info.id, info.time?.created, bornWith(info))
      }
      if (event.type === 'session.compacted') await delivery.compacted(event.properties.sessionID)
      if (event.type === 'session.deleted') delivery.ended(event.properties.info.id)
    },
    'chat.message': async ({ sessionID }, { message, parts }) => {
      if (!isStoredRules(parts)) {
        return delivery.said(sessionID, { stamp: stampOf(message), at: message.time.created })
      }
      message.time.created = delivery.timeOf(sessionID) ?? message.time.created
    },
    'experimental.session.compacting': async ({ sessionID }) => delivery.summing(sessionID),
    'experimental.chat.messages.transform': (_, { messages }) => delivery.present(messages),
  }
}
