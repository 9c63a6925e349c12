/** Delivers the rules to one session: into its requests, the answers of its calls, and the panel in the terminal. */
import type { Violation } from '../checks/violations.ts'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { PanelFault } from '../host/panel-schema.ts'
import { safeAsync } from '../safe.ts'
import type { HostCall } from '../steps/step-call.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { type LastRequest, refusalFor } from './before-write.ts'
import { factsOf } from './conditions.ts'
import { isOnIn, panelOf, storedPanel } from './hidden-content.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import {
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  lastSummaryOf,
  type Message,
  type MessagePart,
  missingMessages,
} from './history.ts'
import { insertRules, type PlacedRule, type RequestInput, rulesInRequest } from './rules-in-request.ts'
import { allRulesOf } from './rules-on-disk.ts'
import { StepChecks } from './step-checks.ts'
import { TouchedFiles, touchedIn, triggersIn } from './touched-files.ts'
import { turnEndToast } from './turn-toast.ts'
import { markedParts } from './violations-in-session.ts'

const MAX_REASON = 120

/** Data from the messages that a history lacks, because a compaction summarised them or a plugin removed them. */
type Earlier = {
  /** The id of the summary, or else of the history's first message. Undefined if no message is missing. */
  since?: string
  /** The files and texts that bring rules into the session. */
  triggers: Array<string>
  /** The `markedParts` of the messages. */
  marked: Array<MessagePart>
}

const NOTHING_EARLIER: Earlier = { triggers: [], marked: [] }

/** Delivers the rules to one session. The rules of a request depend on its history and on `isCompacting`. */
export class SessionDelivery {
  readonly hidden: HiddenMessage
  /** Whether a compaction has begun. The next request is then for its summary. */
  isCompacting = false
  /** The violations that were unresolved at the last request. */
  violations: Array<Violation> = []
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #checks: StepChecks
  readonly #touched: TouchedFiles
  readonly #showAtTurnEnd: (violations: Array<Violation>) => Promise<void>
  /** The errors of failed features (`checks`, `panel`), which stay off until OpenCode restarts. */
  readonly #failed = new Map<string, string>()
  #earlier = NOTHING_EARLIER
  /** The last request with rules. Undefined before the first request, or if inserting the rules failed. */
  #lastRequest: LastRequest | undefined

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = new HiddenMessage(id, input)
    this.#checks = new StepChecks(id, input)
    const triggersOf = (message: Message) => triggersIn(message, input.places)
    this.#touched = new TouchedFiles(triggersOf, input.steps.messageReaderOf(id))
    this.#showAtTurnEnd = turnEndToast(id, input)
  }

  /** Adds the rules to the history of a request, checks the last step, and updates the panel. */
  async inject(history: History): Promise<void> {
    const { isCompacting, hidden } = this
    this.isCompacting = false
    // Until `#insert` sets `#lastRequest` again, no call is refused.
    if (!isCompacting) this.#lastRequest = undefined
    hidden.locate(history)
    const earlier = await this.#readEarlier(history)
    const request = await this.#requestFor(history, earlier)
    // The checks need the history without the rules, which `#insert` adds to `history`.
    const withoutRules = [...history]
    // A summary needs no rules. The last step is checked now, because its calls may be missing from the next history.
    if (isCompacting) {
      await this.#runFeature('checks', () => this.#checks.checkAndReport(withoutRules, request))
      return
    }
    const { places } = this.#input
    const touched = await this.#touched.read(history, earlier.triggers).resolveLinks(places)
    const placed = rulesInRequest(request.onDisk.rules, touched, request.facts)
    const { error: insertError } = await safeAsync(() => this.#insert(history, request, placed))
    const checked = await this.#runFeature('checks', () => this.#checks.checkAndRemind(withoutRules, request))
    this.violations = checked?.violations ?? []
    await this.#runFeature('panel', async () => {
      const faults = this.#faults(insertError, checked?.uncheckedCount ?? 0)
      hidden.updatePanel(storedPanel(panelOf(request, placed, { places, broken: this.violations, faults })))
    })
    // Thrown only now, so that the checks and the panel still run. The caller logs the first failure.
    if (insertError !== null) throw new Error(insertError)
  }

  /** Reads the rules, the facts on which they depend (agent, model, branch), and which rules are on. */
  async #requestFor(history: History, { marked }: Earlier): Promise<RequestInput> {
    const { readRules, config, places: { real } } = this.#input
    const onDisk = await readRules('cached')
    const facts = await factsOf(lastAgentAndModelOf(history), config(), allRulesOf(onDisk), real)
    const isOn = isOnIn(await this.hidden.partsIn(history), real)
    return { onDisk, facts, isOn, earlierMarked: marked }
  }

  async #insert(history: History, request: RequestInput, placed: Array<PlacedRule>): Promise<void> {
    // The host is copying this list now, to create the session's title from it. Wait, so that the copy has no rules.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed.filter(({ rule }) => request.isOn(rule)))
    this.#lastRequest = { ...request, rulePaths: new Set(placed.map(({ rule }) => rule.path)) }
    // If a plugin added a text to the hidden message, the host would send it to the model. So the message is removed.
    const hiddenAt = history.findIndex(isHidden)
    if (hiddenAt >= 0) history.splice(hiddenAt, 1)
  }

  /** Runs a feature on which the rules of a request do not depend. If it fails, it stays off in this session. */
  async #runFeature<T>(feature: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#failed.has(feature)) return undefined
    const { data, error } = await safeAsync(work)
    if (error === null) return data
    this.#failed.set(feature, truncate(error, MAX_REASON))
    const words = `The feature "${feature}" failed and is off in the session ${this.#id}: ${error}`
    this.#input.log('error', words, { sessionID: this.#id, reason: error })
    return undefined
  }

  #faults(insertError: string | null, unchecked: number): Array<PanelFault> {
    const faults = [...this.#input.faults()]
    const add = (feature: string, reason: string) => faults.push({ feature, reason })
    if (insertError !== null) add('rules', `not in the last request: ${truncate(insertError, MAX_REASON)}`)
    for (const [feature, error] of this.#failed) add(feature, `off in this session: ${error}`)
    if (unchecked > 0) add('checks', `no time to check ${pluralize(unchecked, 'broken rule')} again`)
    return faults
  }

  /** Records the start of a call that may write files, and reads these files if a rule checks one of them. */
  async callStarts(host: HostCall, args: unknown): Promise<void> {
    if (!WRITING_TOOLS.has(host.tool)) return
    const call = await this.#input.steps.start(host, Object(args))
    await this.#runFeature('checks', () => this.#checks.beforeCall(call))
  }

  /** Returns an answer that refuses to create a file whose rules the model has not read; otherwise null. */
  async refusal(tool: string, args: unknown): Promise<string | null> {
    return this.#lastRequest ? refusalFor({ tool, args }, this.#lastRequest, this.#input) : null
  }

  turnEnds(): Promise<void> {
    return this.#showAtTurnEnd(this.violations)
  }

  /**
   * Checks the last step if no request followed it, because a call was rejected or the turn was stopped. Only for the
   * end of the host: otherwise, the next request checks the step.
   */
  async checkStoppedStep(): Promise<void> {
    const { client, steps } = this.#input
    if (steps.callsOf(this.#id).length === 0) return
    const { data: history } = await historyOf(client, this.#id)
    if (!history) return
    const request = await this.#requestFor(history, this.#earlier)
    const checked = await this.#runFeature('checks', () => this.#checks.checkAndRemind(history, request))
    this.violations = checked?.violations ?? this.violations
  }

  /** Reads the messages that the history lacks. Reads them again only if `since` has changed. */
  async #readEarlier(history: History): Promise<Earlier> {
    const summary = lastSummaryOf(history)
    // The hidden message is the first of a session. Without a summary, it is missing only if a plugin removed it.
    const since = summary?.id ?? (this.hidden.isMissingFrom(history) ? history[0]?.info.id : undefined)
    if (since === this.#earlier.since) return this.#earlier
    this.#earlier = NOTHING_EARLIER
    if (since === undefined) return NOTHING_EARLIER
    const whole = await historyOf(this.#input.client, this.#id)
    if (whole.error !== null) {
      const words = `Rules of earlier messages may be missing in the session ${this.#id}: ${whole.error}`
      this.#input.log('error', words, { sessionID: this.#id, reason: whole.error })
      return NOTHING_EARLIER
    }
    this.hidden.locate(whole.data)
    const missing = missingMessages(whole.data, history, summary)
    const { triggers } = await touchedIn(missing, this.#input.places)
    return this.#earlier = { since, triggers, marked: markedParts(missing) }
  }
}
