/** The room `delivery/`: rule files → the rules in each request. */
import type { PluginInput } from '@opencode-ai/plugin'
import type { Broken } from '../checks/marks.ts'
import type { HostConfig } from '../host/config.ts'
import { type HooksPart, type HostEvent, RefusedCall } from '../host/join-hooks.ts'
import { createLog, type Log } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import { isHiddenPart, type PanelFault } from '../host/panel-schema.ts'
import { printBroken } from '../host/run-output.ts'
import type { Toast } from '../host/toast.ts'
import type { Steps } from '../steps/steps.ts'
import { LruMap } from '../text/lru-map.ts'
import { brokenNowIn, unresolvedIn } from './broken-rules.ts'
import type { DeliveryInput } from './hidden-message.ts'
import { agentAndModelOf } from './history.ts'
import { reporter } from './rule-warnings.ts'
import { rulesReader, sentByHost } from './rules-on-disk.ts'
import { SessionDelivery } from './session-delivery.ts'
import { placesOf } from './touched-files.ts'
import { turnToast } from './turn-toast.ts'

/** What the delivery of rules is made from. */
export type RuleDeliveryInput = Pick<PluginInput, 'client' | 'directory' | 'worktree'> & {
  log: Log
  toast: Toast
  steps: Steps
  options: Pick<Options, 'rules' | 'debug'>
  /** The host's merged config. */
  config: () => HostConfig | undefined
  /** Gives what of SAT failed in other hooks. */
  faults: () => Array<PanelFault>
}

// A dropped session is read from its history again.
const MAX_SESSIONS = 1_000

type SessionOf = (id: string) => SessionDelivery

/** Makes the functions that give a session's delivery by its id, and what breaks rules in all of one host. */
const deliveries = async (input: RuleDeliveryInput) => {
  const { client, directory, worktree, log, options, toast, steps, faults } = input
  const config = (): HostConfig => input.config() ?? {}
  const place = { directory, worktree: worktree ?? '' }
  const places = await placesOf(place)
  const isDebug = options.debug === true || process.env['SAT_DEBUG'] === '1'
  // "The system SHALL log: Discovered global rule: global-rule.md", so no prefix. The host's log drops what is below
  // `info`.
  const verbatim = createLog(client, '')
  const debug = (line: string): void => void (isDebug && verbatim('info', line))
  const report = reporter({ place: places.real, log, toast, debug })
  const { directories = [], checks } = options.rules || {}
  const readRules = rulesReader(places.real, directories, () => sentByHost(place, config()), report, checks)
  const brokenNow = brokenNowIn(client, places.real)
  const shared: DeliveryInput = {
    client,
    log,
    toast,
    debug,
    places,
    config,
    readRules,
    brokenNow,
    steps,
    faults,
  }
  const sessions = new LruMap<string, SessionDelivery>(MAX_SESSIONS)
  const sessionOf: SessionOf = (id) => sessions.getOrCreate(id, () => new SessionDelivery(id, shared))
  const allBroken = (): Promise<Array<Broken>> =>
    unresolvedIn([...sessions.values()].flatMap(({ broken }) => broken), places.real)
  return { sessionOf, allBroken, turnEnds: turnToast(shared) }
}

// The host says that a fork was created before it copies the messages, the hidden one among them, which is part by part.
const FORK = / \(fork #\d+\)$/

/** Sends or updates the hidden message of a session that was created, compacted, undone or redone, or that lost it. */
const followSession = async (event: HostEvent, sessionOf: SessionOf): Promise<void> => {
  if (event.type === 'session.created') {
    const { info } = event.properties
    if (FORK.test(info.title)) return
    await sessionOf(info.id).hidden.send({ createdWith: agentAndModelOf(info as object) })
  }
  if (event.type === 'session.updated') {
    const { id, revert } = event.properties.info
    await sessionOf(id).hidden.undone(revert?.messageID)
  }
  if (event.type === 'message.removed') {
    const { sessionID, messageID } = event.properties
    sessionOf(sessionID).hidden.removed(messageID)
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
  const { sessionOf, allBroken, turnEnds } = await deliveries(input)
  return {
    dispose: async () => printBroken(await allBroken()),
    event: async ({ event }) => {
      await followSession(event, sessionOf)
      if (event.type !== 'session.idle') return
      const { sessionID } = event.properties
      await turnEnds(sessionID, sessionOf(sessionID).broken)
    },
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
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      const session = sessionOf(sessionID)
      const refusal = rules?.before_write === false ? null : await session.refusal(tool, args)
      if (refusal !== null) throw new RefusedCall(refusal)
      await session.callStarts({ tool, sessionID, callID }, args)
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const [first] = messages
      if (first) await sessionOf(first.info.sessionID).present(messages)
    },
  }
}
