import type { PluginInput } from '@opencode-ai/plugin'
import type { HostConfig } from '../host/config.ts'
import { type HooksPart, type HostEvent, RefusedCall } from '../host/join-hooks.ts'
import { type Log, logOf } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import { isHiddenPart } from '../host/panel-schema.ts'
import type { Toast } from '../host/toast.ts'
import { LruMap } from '../text/lru-map.ts'
import { SessionDelivery } from './delivery.ts'
import type { DeliveryInput } from './hidden-message.ts'
import { agentAndModelOf } from './history.ts'
import { reporter } from './rule-warnings.ts'
import { type ReadRules, rulesReader, sentByHost } from './rules-on-disk.ts'
import { placesOf } from './touched-files.ts'

/** What the delivery of rules is made from. */
export type RuleDeliveryInput = Pick<PluginInput, 'client' | 'directory' | 'worktree'> & {
  log: Log
  toast: Toast
  options: Pick<Options, 'rules' | 'debug'>
  /** The host's merged config. */
  config: () => HostConfig | undefined
}

// A dropped session is read from its history again.
const MAX_SESSIONS = 1_000

type SessionOf = (id: string) => SessionDelivery

/** Makes the function that gives the delivery of a session, by its id, for one instance of the host. */
const deliveries = async (input: RuleDeliveryInput): Promise<SessionOf> => {
  const { client, directory, worktree, log, options, toast } = input
  const config = (): HostConfig => input.config() ?? {}
  const place = { directory, worktree: worktree ?? '' }
  const places = await placesOf(place)
  const isDebug = options.debug === true || process.env['SAT_DEBUG'] === '1'
  // "The system SHALL log: Discovered global rule: global-rule.md", so no prefix. The host's log drops what is below
  // `info`.
  const verbatim = logOf(client, '')
  const debug = (line: string): void => void (isDebug && verbatim('info', line))
  const report = reporter({ place: places.real, log, toast, debug })
  const directories = options.rules ? options.rules.directories ?? [] : []
  const read = rulesReader(places.real, directories, () => sentByHost(place, config()))
  const readRules: ReadRules = async (isFresh) => {
    const onDisk = await read(isFresh)
    report(onDisk)
    return onDisk
  }
  const shared: DeliveryInput = { client, log, debug, places, config, readRules }
  const sessions = new LruMap<string, SessionDelivery>(MAX_SESSIONS)
  return (id) => sessions.getOr(id, () => new SessionDelivery(id, shared))
}

/** Sends or updates the hidden message of a session that was created, compacted, undone or redone. */
const followSession = async (event: HostEvent, sessionOf: SessionOf): Promise<void> => {
  if (event.type === 'session.created') {
    const { info } = event.properties
    await sessionOf(info.id).hidden.send({ createdWith: agentAndModelOf(info as object) })
  }
  if (event.type === 'session.updated') {
    const { id, revert } = event.properties.info
    await sessionOf(id).hidden.undone(revert?.messageID)
  }
  if (event.type === 'session.compacted') {
    const session = sessionOf(event.properties.sessionID)
    // Without a new message since the last compaction the host passes no history to summarise.
    session.isCompacting = false
    await session.hidden.send({ isAgain: true })
  }
}

/** Makes the hooks that bring rule files to sessions; none where the option `rules` is `false`. */
export const ruleDelivery = async (input: RuleDeliveryInput): Promise<HooksPart> => {
  const { rules } = input.options
  if (rules === false) return {}
  const sessionOf = await deliveries(input)
  return {
    event: ({ event }) => followSession(event, sessionOf),
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const hidden = parts.find(isHiddenPart)
      // It stands first in the history.
      if (hidden?.type === 'text' && hidden.time) message.time.created = hidden.time.start
      if (hidden) return
      const session = sessionOf(sessionID)
      session.isCompacting = false
      await session.hidden.send({ said: agentAndModelOf(message) ?? {} })
    },
    'experimental.session.compacting': async ({ sessionID }) => {
      sessionOf(sessionID).isCompacting = true
    },
    'tool.execute.before': async ({ tool, sessionID }, { args }) => {
      const refusal = rules?.before_write === false ? null : await sessionOf(sessionID).refusal(tool, args)
      if (refusal !== null) throw new RefusedCall(refusal)
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const [first] = messages
      if (first) await sessionOf(first.info.sessionID).present(messages)
    },
  }
}
