import { TimeBudget } from '../checks/budget.ts'
import type { Violation } from '../checks/violations.ts'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { PanelFault } from '../host/panel-schema.ts'
import { realPathInWorktree } from '../paths/path-in-worktree.ts'
import { safeAsync } from '../safe.ts'
import type { HostCall } from '../steps/step-call.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { type LastRequest, refusalFor } from './before-write.ts'
import { type Facts, factsOf } from './conditions.ts'
import { isOnIn, panelOf, withoutPersonalText } from './hidden-content.ts'
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
import type { Rule } from './rule-files.ts'
import { insertRules, meetsConditions, type PlacedRule, rulesInRequest } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { StepChecks } from './step-checks.ts'
import { TouchedFiles, triggersIn } from './touched-files.ts'
import { turnEndToast } from './turn-toast.ts'
import { markedParts, violationKey } from './violations-in-session.ts'

/** What decides the rules of a request besides its history. `isOn` returns false for a rule that is switched off. */
type RequestInput = { onDisk: RulesOnDisk; facts: Facts; isOn: (rule: Rule) => boolean }

const MAX_REASON = 120

/**
 * Injects the rules into the requests of one session. Apart from `isCompacting`, its state does not decide the rules of a
 * request: it caches facts from the history, or belongs to a running call.
 */
export class SessionDelivery {
  readonly hidden: HiddenMessage
  /** Whether the next history that the host passes is to be summarised. */
  isCompacting = false
  /** The violations that were unresolved at the last request. */
  violations: Array<Violation> = []
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #checks: StepChecks
  readonly #touched: TouchedFiles
  readonly #showBroken: (broken: Array<Violation>) => Promise<void>
  /** Maps each feature that failed in this session to the reason. These features stay off until OpenCode restarts. */
  readonly #failed = new Map<string, string>()
  /**
   * Why the last request lacks the rules, for example because another plugin froze the list of messages; null if it has them.
   */
  #insertFailure: string | null = null
  /** How many violations were not checked again for the last request, for lack of time. */
  #uncheckedCount = 0
  /**
   * The triggers and the marked parts of the messages that the request's history lacks; `since` is the id of the summary or
   * message with which the history now begins.
   */
  #earlier: { since: string; triggers: Array<string>; marked: Array<MessagePart> } | undefined
  /** The facts and rules of the last request; undefined if the rules could not be injected into it. */
  #lastRequest: LastRequest | undefined

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = new HiddenMessage(id, input)
    this.#checks = new StepChecks(id, input)
    this.#touched = new TouchedFiles(this.#triggersOf, input.steps.messageReaderOf(id))
    this.#showBroken = turnEndToast(id, input)
  }

  /**
   * Injects the rules into the history of a request, in place. A failure of the checks or the panel does not affect the
   * rules.
   */
  async inject(history: History): Promise<void> {
    const { isCompacting, hidden } = this
    this.isCompacting = false
    const { readRules, config, places } = this.#input
    if (!isCompacting) this.#lastRequest = undefined
    const onDisk = await readRules(false)
    const facts = await factsOf(lastAgentAndModelOf(history), config(), onDisk, places.real)
    hidden.locate(history)
    const earlierTriggers = await this.#earlierTriggers(history)
    const isOn = isOnIn(await hidden.partsIn(history), places.real)
    const request = { onDisk, facts, isOn }
    const withoutRules = [...history]
    // A summary is written without the rules. The last step is checked now, because its calls may be missing from the next
    // history.
    if (isCompacting) {
      await this.#runFeature('checks', () => this.#checkStep(withoutRules, request, new TimeBudget()))
      return
    }
    const touched = await this.#touched.read(history, earlierTriggers).resolveLinks(this.#realNameOf)
    const placed = rulesInRequest(onDisk.rules, touched, facts)
    this.#insertFailure = (await safeAsync(() => this.#insert(history, request, placed))).error
    this.violations = await this.#runFeature('checks', () => this.#check(withoutRules, request)) ?? []
    await this.#runFeature('panel', async () => {
      const faults = this.#faults()
      const panel = panelOf(onDisk, placed, { places, facts, broken: this.violations, isOn, faults })
      hidden.show(withoutPersonalText(panel))
    })
    // The caller logs it once.
    if (this.#insertFailure !== null) throw new Error(this.#insertFailure)
  }

  /** Inserts the rules that are on into a history, and removes the hidden message from it. */
  async #insert(
    history: History,
    { onDisk, facts, isOn }: RequestInput,
    placed: Array<PlacedRule>,
  ): Promise<void> {
    // The host also creates the title from this list and has already started to copy it. Wait until that copy is done, so
    // that the title does not depend on the rules.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed.filter(({ rule }) => isOn(rule)))
    // No call is refused because of a rule that is switched off.
    const exempt = [...placed.map(({ rule }) => rule), ...onDisk.rules.filter((rule) => !isOn(rule))]
    this.#lastRequest = { facts, exempt: new Set(exempt.map(({ path }) => path)) }
    // Without this, a plugin that adds text to every message would show the hidden message to the model.
    const hiddenAt = history.findIndex(isHidden)
    if (hiddenAt >= 0) history.splice(hiddenAt, 1)
  }

  /** Runs a feature that the rules of a request do not depend on. If it fails, it stays off in this session. */
  async #runFeature<T>(feature: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#failed.has(feature)) return undefined
    const { data, error } = await safeAsync(work)
    if (error === null) return data
    this.#failed.set(feature, truncate(error, MAX_REASON))
    const words = `The feature "${feature}" failed and is off in the session ${this.#id}: ${error}`
    this.#input.log('error', words, { sessionID: this.#id, reason: error })
    return undefined
  }

  #faults(): Array<PanelFault> {
    const faults = [...this.#input.faults()]
    if (this.#insertFailure !== null) {
      const reason = `not in the last request: ${truncate(this.#insertFailure, MAX_REASON)}`
      faults.push({ feature: 'rules', reason })
    }
    for (const [feature, error] of this.#failed) {
      faults.push({ feature, reason: `off in this session: ${error}` })
    }
    if (this.#uncheckedCount > 0) {
      const unchecked = pluralize(this.#uncheckedCount, 'broken rule')
      faults.push({ feature: 'checks', reason: `no time to check ${unchecked} again` })
    }
    return faults
  }

  /** Returns the rules whose checks run in this session, and a function that returns the session's marked parts. */
  #checkInput(history: History, { onDisk, isOn }: RequestInput) {
    const checkingRules = [...onDisk.rules.filter(isOn), ...onDisk.checkOnly]
    const hasChecks = checkingRules.some(({ checks }) => checks)
    // A function, because `checkStep` marks more parts after this call.
    const marked = () =>
      hasChecks ? [...this.#earlier?.marked ?? [], ...this.#checks.marked.read(history)] : []
    return { checkingRules, marked }
  }

  /** Checks the last step, and reports its violations in the answers of its calls. */
  #checkStep(
    history: History,
    request: RequestInput,
    budget: TimeBudget,
  ): ReturnType<StepChecks['checkStep']> {
    const { checkingRules, marked } = this.#checkInput(history, request)
    const inForce = checkingRules.filter((rule) => meetsConditions(rule, request.facts))
    return this.#checks.checkStep(history, marked, request.onDisk, inForce, budget)
  }

  /** Checks the last step, and reminds the model of earlier violations. Returns all unresolved violations. */
  async #check(history: History, request: RequestInput): Promise<Array<Violation>> {
    const budget = new TimeBudget()
    const { reported, read: readText } = await this.#checkStep(history, request, budget)
    const { checkingRules, marked } = this.#checkInput(history, request)
    const parts = marked()
    const broken = await this.#input.findUnresolved(parts, checkingRules, budget, readText)
    this.#uncheckedCount = budget.uncheckedViolations
    await this.#checks.remind(
      history,
      parts,
      broken.filter((violation) => !reported.has(violationKey(violation))),
    )
    return broken
  }

  /** Records a call that starts, and reads the files that it will write if a rule checks them. */
  async callStarts(host: HostCall, args: unknown): Promise<void> {
    if (!WRITING_TOOLS.has(host.tool)) return
    const call = await this.#input.steps.start(host, Object(args))
    await this.#runFeature('checks', () => this.#checks.beforeCall(call))
  }

  /**
   * Returns the answer to a call that must be refused, because it creates files before the model read their rules; else
   * null.
   */
  async refusal(tool: string, args: unknown): Promise<string | null> {
    return this.#lastRequest ? refusalFor({ tool, args }, this.#lastRequest, this.#input) : null
  }

  /** Shows the person the unresolved violations at the end of a turn. */
  turnEnds(): Promise<void> {
    return this.#showBroken(this.violations)
  }

  readonly #triggersOf = (entry: Message): Array<string> => triggersIn(entry, this.#input.places)
  readonly #realNameOf = (name: string) => realPathInWorktree(name, this.#input.places)

  /** Returns the triggers in messages that a compaction summarised or another plugin removed. */
  async #earlierTriggers(history: History): Promise<Array<string> | undefined> {
    const summary = lastSummaryOf(history)
    const since = summary?.id ?? (this.hidden.isMissingFrom(history) ? history[0]?.info.id : undefined)
    if (since === undefined) return this.#earlier = undefined
    if (this.#earlier?.since === since) return this.#earlier.triggers
    const whole = await historyOf(this.#input.client, this.#id)
    if (whole.error !== null) return void this.hidden.logFailure(whole.error)
    this.hidden.locate(whole.data)
    const missing = missingMessages(whole.data, history, summary)
    const { triggers } = await new TouchedFiles(this.#triggersOf).read(missing).resolveLinks(this.#realNameOf)
    this.#earlier = { since, triggers, marked: markedParts(missing) }
    return triggers
  }
}
