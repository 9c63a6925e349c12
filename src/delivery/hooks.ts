/** The folder `delivery/`: reads rule files, and adds the rules to each request. This file creates the hooks. */
import type { Violation } from '../checks/violations.ts'
import type { HostConfig } from '../host/config.ts'
import { isRun, printBroken } from '../host/headless-run.ts'
import { type HostEvent, type PartHooks, RefusedCall } from '../host/join-hooks.ts'
import { createLog } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import { isHiddenPart } from '../host/panel-schema.ts'
import { placesOf } from '../paths/path-in-worktree.ts'
import { LruMap } from '../text/lru-map.ts'
import type { DeliveryInput } from './hidden-message.ts'
import { agentAndModelOf } from './history.ts'
import { rulesReporter } from './rule-warnings.ts'
import { rulesReader, sentByHost } from './rules-on-disk.ts'
import { SessionDelivery } from './session-delivery.ts'
import { recordedFinder, unresolvedFinder, unresolvedIn } from './violations-in-session.ts'

export type RuleDeliveryInput = Pick<DeliveryInput, 'client' | 'log' | 'toast' | 'steps' | 'faults'> & {
  directory: string
  worktree: string
  options: Pick<Options, 'rules' | 'debug'>
  config: () => HostConfig | undefined
}

// Beyond this number, the least recently used session is dropped. On its next use, its history is read again.
const MAX_SESSIONS = 1_000

const createDeliveries = async (input: RuleDeliveryInput) => {
  const { client, directory, worktree, log, options, toast } = input
  const config = (): HostConfig => input.config() ?? {}
  const workspace = { directory, worktree: worktree ?? '' }
  const places = await placesOf(workspace)
  const isDebug = options.debug === true || process.env['SAT_DEBUG'] === '1'
  // The specification requires these lines without a prefix. The level is `info`, because the host drops lower levels.
  const plainLog = createLog(client, '')
  const debug = (line: string): void => void (isDebug && plainLog('info', line))
  const report = rulesReporter({ workspace: places.real, log, toast, debug })
  const { directories = [], checks } = options.rules || {}
  const listSent = () => sentByHost(workspace, config())
  const readRules = rulesReader(places.real, directories, listSent, { report, withPatterns: checks })
  const findRecorded = recordedFinder(client)
  const findUnresolved = unresolvedFinder(findRecorded, places.real, input.steps.presentFiles)
  const shared: DeliveryInput = { ...input, debug, places, config, readRules, findRecorded, findUnresolved }
  const sessions = new LruMap<string, SessionDelivery>(MAX_SESSIONS)
  const sessionOf = (id: string) => sessions.getOrCreate(id, () => new SessionDelivery(id, shared))
  const allUnresolved = async (): Promise<Array<Violation>> => {
    const bySession = await Promise.all([...sessions.values()].map((session) => session.lastViolations()))
    return unresolvedIn(bySession.flat(), places.real)
  }
  return { sessionOf, allUnresolved }
}

// The host copies all messages into a fork, so the fork already has SAT's hidden message.
const FORK = / \(fork #\d+\)$/

const handleEvent = async ({ type, properties }: HostEvent, sessionOf: (id: string) => SessionDelivery) => {
  if (type === 'session.created') {
    const { info } = properties
    if (!FORK.test(info.title)) {
      await sessionOf(info.id).hidden.send('created', agentAndModelOf(info as object))
    }
  } else if (type === 'session.updated') {
    const { id, revert } = properties.info
    await sessionOf(id).hidden.afterRevert(revert?.messageID)
  } else if (type === 'message.removed') {
    sessionOf(properties.sessionID).hidden.forget(properties.messageID)
  } else if (type === 'session.compacted') {
    const session = sessionOf(properties.sessionID)
    // `inject` also resets this flag, but it did not run if no message came since the previous compaction.
    session.isCompacting = false
    await session.hidden.send('compacted')
  } else if (type === 'session.idle') await sessionOf(properties.sessionID).turnEnds()
}

export const ruleDelivery = async (input: RuleDeliveryInput): Promise<PartHooks> => {
  const { rules } = input.options
  if (rules === false) return {}
  const { sessionOf, allUnresolved } = await createDeliveries(input)
  return {
    dispose: async () => {
      if (isRun()) printBroken(await allUnresolved())
    },
    event: ({ event }) => handleEvent(event, sessionOf),
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const hiddenPart = parts.find(isHiddenPart)
      if (hiddenPart) {
        // The host sorts the history by time, so this time puts SAT's message first.
        if (hiddenPart.type === 'text' && hiddenPart.time) message.time.created = hiddenPart.time.start
        return
      }
      const session = sessionOf(sessionID)
      session.isCompacting = false
      await session.hidden.send('message', agentAndModelOf(message) ?? {})
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
      if (first) await sessionOf(first.info.sessionID).inject(messages)
    },
  }
}
