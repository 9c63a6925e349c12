import type { PluginInput } from '@opencode-ai/plugin'
import type { Broken } from '../checks/judge.ts'
import type { HostConfig } from '../host/config.ts'
import { type HooksPart, type HostEvent, RefusedCall } from '../host/join-hooks.ts'
import { type Log, logOf } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import { isHiddenPart } from '../host/panel-schema.ts'
import { printBroken } from '../host/run-output.ts'
import type { Toast } from '../host/toast.ts'
import { LruMap } from '../text/lru-map.ts'
import { refusalFor, type ShownRules } from './before-write.ts'
import { brokenKey, brokenNowIn, markedParts, standing } from './broken-rules.ts'
import { factsOf } from './conditions.ts'
import { isOnIn, panelOf } from './hidden-content.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import {
  agentAndModelOf,
  type Entry,
  type EntryPart,
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  lastSummaryOf,
  missingIn,
} from './history.ts'
import { reporter } from './rule-warnings.ts'
import { insertRules, isFor, rulesInRequest } from './rules-in-request.ts'
import { rulesReader, sentByHost } from './rules-on-disk.ts'
import { StepChecks } from './step-checks.ts'
import { placesOf, reasonsIn, TouchedFiles } from './touched-files.ts'
import { turnToast } from './turn-toast.ts'

/**
 * Brings rules to the requests of a session. Nothing that a request holds is decided by what is remembered here: all of
 * it can be read from the history again, and is kept for speed, or because it concerns a running call.
 */
class SessionDelivery {
  readonly hidden: HiddenMessage
  readonly checks: StepChecks
  /** Whether the next history that the host passes is for a summary. */
  isCompacting = false
  /** What breaks rules in the files, by the last request. */
  broken: Array<Broken> = []
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #touched: TouchedFiles
  /** The files that messages touched which a history lacks, the calls that say what broke rules, and since which message. */
  #earlier: { since: string; files: Array<string>; marked: Array<EntryPart> } | undefined
  /** What the model knows by its last request; undefined where the rules could not be injected into that. */
  #known: ShownRules | undefined
  /** Whether the host has read the rules of the last request, or there were none. */
  #isRead = true

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = new HiddenMessage(id, input)
    this.checks = new StepChecks(input)
    this.#touched = new TouchedFiles(this.#filesOf)
  }

  /** Injects the rules into the history of a request, in place. */
  async present(history: History): Promise<void> {
    const { isCompacting, hidden } = this
    this.isCompacting = false
    const { readRules, config, places, brokenNow } = this.#input
    if (!isCompacting) this.#known = undefined
    const onDisk = await readRules(false)
    const facts = await factsOf(lastAgentAndModelOf(history), config(), onDisk, places.real)
    hidden.find(history)
    const filesBefore = await this.#filesBefore(history)
    const isOn = isOnIn(await hidden.partsIn(history), places.real)
    const on = [...onDisk.rules.filter(isOn), ...onDisk.checking]
    const isChecked = on.some(({ checks }) => checks)
    const marked = () => isChecked ? [...this.#earlier?.marked ?? [], ...markedParts(history)] : []
    const told = await this.checks.end(history, marked, onDisk, on.filter((rule) => isFor(rule, facts)))
    if (isCompacting) return
    const touched = this.#touched.read(history, filesBefore)
    const markedNow = marked()
    const broken = this.broken = await brokenNow(markedNow, on)
    await this.checks.remind(history, markedNow, broken.filter((one) => !told.has(brokenKey(one))))
    const placed = rulesInRequest(onDisk.rules, touched, facts)
    const sent = placed.filter(({ rule }) => isOn(rule))
    const known = [...placed.map(({ rule }) => rule), ...onDisk.rules.filter((rule) => !isOn(rule))]
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    await new Promise((resolve) => setImmediate(resolve))
    this.#isRead = sent.length === 0
    insertRules(history, sent, () => void (this.#isRead = true))
    this.#known = { facts, shown: new Set(known.map(({ path }) => path)) }
    // A plugin that adds words to each message would bring it to the model.
    const hiddenAt = history.findIndex(isHidden)
    if (hiddenAt >= 0) history.splice(hiddenAt, 1)
    hidden.show(panelOf(onDisk, placed, { places, facts, broken, isOn }))
  }

  /** Whether the request of an agent that is sent now lacks its rules: the list they were inserted into is not the host's. */
  lacksRules(agent: string): boolean {
    return !this.#isRead && agent === this.#known?.facts.agent
  }

  /** Gives the answer of a call that adds a file whose rules the session's model was not shown, or null. */
  async refusal(tool: string, args: unknown): Promise<string | null> {
    return this.#known ? refusalFor({ tool, args }, this.#known, this.#input) : null
  }

  readonly #filesOf = (entry: Entry): Array<string> => reasonsIn(entry, this.#input.places)

  /** Lists the files touched in the messages that a compaction summarised, or that another plugin removed. */
  async #filesBefore(history: History): Promise<Array<string> | undefined> {
    const summary = lastSummaryOf(history)
    const since = summary?.id ?? (this.hidden.isCutFrom(history) ? history[0]?.info.id : undefined)
    if (since === undefined) return this.#earlier = undefined
    if (this.#earlier?.since === since) return this.#earlier.files
    const whole = await historyOf(this.#input.client, this.#id)
    if (whole.error !== null) return void this.hidden.failed(whole.error)
    this.hidden.find(whole.data)
    const before = missingIn(whole.data, history, summary)
    const files = new TouchedFiles(this.#filesOf).read(before).names
    this.#earlier = { since, files, marked: markedParts(before) }
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

/** Makes the functions that give a session's delivery by its id, and what breaks rules in all of one host. */
const deliveries = async (input: RuleDeliveryInput) => {
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
  const { directories = [], checks } = options.rules || {}
  const readRules = rulesReader(places.real, directories, () => sentByHost(place, config()), report, checks)
  const brokenNow = brokenNowIn(client, places.real)
  const shared: DeliveryInput = { client, log, toast, debug, places, config, readRules, brokenNow }
  const sessions = new LruMap<string, SessionDelivery>(MAX_SESSIONS)
  const sessionOf: SessionOf = (id) => sessions.getOr(id, () => new SessionDelivery(id, shared))
  const allBroken = (): Promise<Array<Broken>> =>
    standing([...sessions.values()].flatMap(({ broken }) => broken), places.real)
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

// The host reads its own list, whatever a plugin assigns.
const NOT_READ =
  'Another plugin replaced the list of messages, so no rule reached the model. Name SAT before it in "plugin".'

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
      const refusal = rules?.before_write === false ? null : await sessionOf(sessionID).refusal(tool, args)
      if (refusal !== null) throw new RefusedCall(refusal)
      await sessionOf(sessionID).checks.start(tool, callID, args)
    },
    'tool.execute.after': ({ sessionID, callID }) => sessionOf(sessionID).checks.finish(callID),
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const [first] = messages
      if (first) await sessionOf(first.info.sessionID).present(messages)
    },
    // By now the host has turned its messages into the request.
    'chat.params': async ({ sessionID, agent }) => {
      if (!sessionOf(sessionID).lacksRules(agent)) return
      input.log('error', NOT_READ, { sessionID })
      input.toast('messages', NOT_READ)
    },
  }
}
