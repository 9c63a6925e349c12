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
import { isOnIn, panelOf } from './hidden-content.ts'
import { type DeliveryInput, hiddenMessage } from './hidden-message.ts'
import {
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  lastSummaryOf,
  type MessagePart,
  missingMessages,
} from './history.ts'
import { insertRules, type PlacedRule, type RequestInput, rulesInRequest } from './rules-in-request.ts'
import { allRulesOf } from './rules-on-disk.ts'
import { stepChecks } from './step-checks.ts'
import { TouchedFiles, triggersIn } from './touched-files.ts'
import { turnEndToast } from './turn-toast.ts'
import { markedParts } from './violations-in-session.ts'

const MAX_REASON = 120

/** Data from the messages that a history lacks, for example after a compaction. */
type Earlier = { since?: string; triggers: Array<string>; marked: Array<MessagePart> }

const NOTHING_EARLIER: Earlier = { triggers: [], marked: [] }

export class SessionDelivery {
  readonly hidden: ReturnType<typeof hiddenMessage>
  readonly turnEnds: () => Promise<void>
  /** Whether the next request is for the summary of a compaction. */
  isCompacting = false
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #checks: ReturnType<typeof stepChecks>
  readonly #touched: TouchedFiles
  readonly #errorsByFeature = new Map<string, string>()
  #earlier = NOTHING_EARLIER
  #lastRequest: LastRequest | undefined
  /** The violations that were unresolved at the last request. */
  #violations: Array<Violation> = []

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = hiddenMessage(id, input)
    this.#checks = stepChecks(id, input)
    this.#touched = new TouchedFiles(input.places, input.steps.messageReaderOf(id))
    const showAtTurnEnd = turnEndToast(id, input)
    this.turnEnds = () => showAtTurnEnd(this.#violations)
  }

  /** Adds the rules to the history of a request, checks the last step, and updates the panel. */
  async inject(history: History): Promise<void> {
    const { isCompacting, hidden } = this
    this.isCompacting = false
    // While `#lastRequest` is undefined, no call is refused. `#insert` sets it again.
    if (!isCompacting) this.#lastRequest = undefined
    hidden.locate(history)
    const earlier = await this.#readEarlier(history)
    const request = await this.#requestFor(history, earlier)
    const withoutRules = [...history]
    // A summary needs no rules. The last step is checked now, because the next history may lack the step's calls.
    if (isCompacting) {
      await this.#runFeature('checks', () => this.#checks.checkAndReport(withoutRules, request))
      return
    }
    const { places } = this.#input
    const touched = await this.#touched.read(history, earlier.triggers).resolveLinks()
    const placed = rulesInRequest(request.onDisk.rules, touched, request.facts)
    const { error: insertError } = await safeAsync(() => this.#insert(history, request, placed))
    const checked = await this.#runFeature('checks', () => this.#checks.checkAndRemind(withoutRules, request))
    this.#violations = checked?.violations ?? []
    await this.#runFeature('panel', async () => {
      const faults = this.#faults(insertError, checked?.uncheckedCount ?? 0)
      hidden.updatePanel(panelOf(request, placed, { places, broken: this.#violations, faults }))
    })
    // Thrown only now, so that the checks and the panel still run.
    if (insertError !== null) throw new Error(insertError)
  }

  async #requestFor(history: History, { marked }: Earlier): Promise<RequestInput> {
    const { readRules, config, places: { real } } = this.#input
    const onDisk = await readRules('cached')
    const facts = await factsOf(lastAgentAndModelOf(history), config(), allRulesOf(onDisk), real)
    const isOn = isOnIn(await this.hidden.partsIn(history), real)
    return { onDisk, facts, isOn, earlierMarked: marked }
  }

  async #insert(history: History, request: RequestInput, placed: Array<PlacedRule>): Promise<void> {
    // Waits until the host has copied the messages for the session's title, so that the copy contains no rules.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed.filter(({ rule }) => request.isOn(rule)))
    this.#lastRequest = { ...request, rulePaths: new Set(placed.map(({ rule }) => rule.path)) }
    // Removes the hidden message. If another plugin added a text to it, the host would send that text.
    const hiddenAt = history.findIndex(isHidden)
    if (hiddenAt >= 0) history.splice(hiddenAt, 1)
  }

  /** If a feature fails, it stays off in this session until OpenCode restarts. */
  async #runFeature<T>(feature: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#errorsByFeature.has(feature)) return undefined
    const { data, error } = await safeAsync(work)
    if (error === null) return data
    this.#errorsByFeature.set(feature, truncate(error, MAX_REASON))
    const words = `The feature "${feature}" failed and is off in the session ${this.#id}: ${error}`
    this.#input.log('error', words, { sessionID: this.#id, reason: error })
    return undefined
  }

  #faults(insertError: string | null, unchecked: number): Array<PanelFault> {
    const faults = [...this.#input.faults()]
    const add = (feature: string, reason: string) => faults.push({ feature, reason })
    if (insertError !== null) add('rules', `not in the last request: ${truncate(insertError, MAX_REASON)}`)
    for (const [feature, error] of this.#errorsByFeature) add(feature, `off in this session: ${error}`)
    if (unchecked > 0) add('checks', `no time to check ${pluralize(unchecked, 'broken rule')} again`)
    return faults
  }

  /** Records the start of a call that may write files. */
  async callStarts(host: HostCall, args: unknown): Promise<void> {
    if (!WRITING_TOOLS.has(host.tool)) return
    const call = await this.#input.steps.start(host, Object(args))
    await this.#runFeature('checks', () => this.#checks.beforeCall(call))
  }

  /** Refuses a call that would create a file whose rules the model has not read. Returns the answer, or null. */
  async refusal(tool: string, args: unknown): Promise<string | null> {
    return this.#lastRequest ? refusalFor({ tool, args }, this.#lastRequest, this.#input) : null
  }

  /** When the host exits, checks the last step if no request followed it. Returns the unresolved violations. */
  async lastViolations(): Promise<Array<Violation>> {
    const { client, steps } = this.#input
    const isStopped = steps.callsOf(this.#id).length > 0
    const history = isStopped ? (await historyOf(client, this.#id)).data : null
    if (!history) return this.#violations
    const request = await this.#requestFor(history, this.#earlier)
    const checked = await this.#runFeature('checks', () => this.#checks.checkAndRemind(history, request))
    return checked?.violations ?? this.#violations
  }

  async #readEarlier(history: History): Promise<Earlier> {
    const summary = lastSummaryOf(history)
    // The hidden message is the session's first. If it is missing without a summary, a plugin has removed old messages.
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
    const triggers = new Set(missing.flatMap((message) => triggersIn(message, this.#input.places)))
    return this.#earlier = { since, triggers: [...triggers], marked: markedParts(missing) }
  }
}
