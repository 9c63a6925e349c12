import type { PluginInput } from '@opencode-ai/plugin'
import type { HostConfig } from '../host/config.ts'
import { type HooksPart, type HostEvent, RefusedCall } from '../host/join-hooks.ts'
import { type Log, logOf } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import { isHiddenPart } from '../host/panel-schema.ts'
import type { Toast } from '../host/toast.ts'
import { LruMap } from '../text/lru-map.ts'
import { refusalFor, type ShownRules } from './before-write.ts'
import { isOnIn, panelOf } from './hidden-content.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import {
  agentAndModelOf,
  agentOf,
  type Entry,
  type History,
  historyOf,
  lastAgentAndModelOf,
  lastSummaryOf,
  summarisedIn,
} from './history.ts'
import type { Rule } from './rule-files.ts'
import { reporter } from './rule-warnings.ts'
import { insertRules, rulesInRequest } from './rules-in-request.ts'
import { rulesReader, sentByHost } from './rules-on-disk.ts'
import { placesOf, TouchedFiles, touchedFiles } from './touched-files.ts'

/**
 * Brings rules to the requests of a session. Nothing that a request holds is decided by what is remembered here: all of
 * it can be read from the history again, and is kept for speed, or because it concerns a running call.
 */
class SessionDelivery {
  readonly hidden: HiddenMessage
  /** Whether the next history that the host passes is for a summary. */
  isCompacting = false
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #touched: TouchedFiles
  /** The files that were touched before a compaction, and the id of its summary. */
  #earlier: { summary: string; files: Array<string> } | undefined
  #known: ShownRules = { agent: '', shown: new Set() }

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = new HiddenMessage(id, input)
    this.#touched = new TouchedFiles(this.#filesOf)
  }

  /** Injects the rules into the history of a request, in place. */
  async present(history: History): Promise<void> {
    const { isCompacting, hidden } = this
    this.isCompacting = false
    if (isCompacting) return
    const { readRules, config, places } = this.#input
    const onDisk = await readRules(false)
    hidden.find(history)
    const agent = agentOf(lastAgentAndModelOf(history), config())
    const touched = this.#touched.read(history, await this.#filesBefore(history))
    const placed = rulesInRequest(onDisk.rules, touched, agent)
    const isOn = isOnIn(await hidden.partsIn(history), places.real)
    const sent = new Set(placed.map(({ rule }) => rule))
    const isKnown = (rule: Rule) => sent.has(rule) || !isOn(rule)
    this.#known = { agent, shown: new Set(onDisk.rules.filter(isKnown).map(({ path }) => path)) }
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed.filter(({ rule }) => isOn(rule)))
    hidden.show(panelOf(onDisk, placed, { places, agent }))
  }

  /** Gives the answer of a call that adds a file whose rules the session's model was not shown, or null. */
  refusal(tool: string, args: unknown): Promise<string | null> {
    return refusalFor({ tool, args }, this.#known, this.#input)
  }

  readonly #filesOf = (entry: Entry): Array<string> => touchedFiles(entry, this.#input.places)

  /** Lists the files touched in the messages that the last compaction of a history summarised. */
  async #filesBefore(history: History): Promise<Array<string> | undefined> {
    const summary = lastSummaryOf(history)
    if (summary === undefined) return undefined
    if (this.#earlier?.summary === summary.id) return this.#earlier.files
    const whole = await historyOf(this.#input.client, this.#id)
    if (whole.error !== null) return void this.hidden.failed(whole.error)
    this.hidden.find(whole.data)
    const files = new TouchedFiles(this.#filesOf).read(summarisedIn(whole.data, history, summary)).names
    this.#earlier = { summary: summary.id, files }
    return files
  }
}

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
  const readRules = rulesReader(places.real, directories, () => sentByHost(place, config()), report)
  const shared: DeliveryInput = { client, log, toast, debug, places, config, readRules }
  const sessions = new LruMap<string, SessionDelivery>(MAX_SESSIONS)
  return (id) => sessions.getOr(id, () => new SessionDelivery(id, shared))
}

/** Sends or updates the hidden message of a session that was created, compacted, undone or redone, or that lost it. */
const followSession = async (event: HostEvent, sessionOf: SessionOf): Promise<void> => {
  if (event.type === 'session.created') {
    const { info } = event.properties
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
