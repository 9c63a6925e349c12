import { TimeBudget } from '../checks/budget.ts'
import type { Broken } from '../checks/marks.ts'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { PanelFault } from '../host/panel-schema.ts'
import { safeAsync } from '../safe.ts'
import type { HostCall } from '../steps/step-call.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { type LastRequest, refusalFor } from './before-write.ts'
import { brokenKey, markedParts } from './broken-rules.ts'
import { type Facts, factsOf } from './conditions.ts'
import { isOnIn, panelOf, withoutPersonalText } from './hidden-content.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import {
  type Entry,
  type EntryPart,
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  lastSummaryOf,
  missingMessages,
} from './history.ts'
import type { Rule } from './rule-files.ts'
import { insertRules, meetsConditions, type PlacedRule, rulesInRequest } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { StepChecks } from './step-checks.ts'
import { realNameOf, reasonsIn, TouchedFiles } from './touched-files.ts'
import { turnEndToast } from './turn-toast.ts'

/** What decides about the rules of a request, besides its history. `isOn` is false for a rule that is switched off. */
type RequestInput = { onDisk: RulesOnDisk; facts: Facts; isOn: (rule: Rule) => boolean }

const MAX_REASON = 120

/**
 * Injects the rules into the requests of one session. The state kept here decides nothing about a request: it is a cache
 * of what the history says, or concerns a running call.
 */
export class SessionDelivery {
  readonly hidden: HiddenMessage
  /** Whether the host passes the next history to summarise it. */
  isCompacting = false
  /** What broke rules in the files at the last request. */
  violations: Array<Broken> = []
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #checks: StepChecks
  readonly #touched: TouchedFiles
  readonly #showBroken: (broken: Array<Broken>) => Promise<void>
  /** The features that failed in this session, and why. They stay off until OpenCode starts again. */
  readonly #failed = new Map<string, string>()
  /** Why the rules are not in the last request, such as a list that another plugin froze; null if they are. */
  #insertFailure: string | null = null
  /** How many lines that broke rules were not checked again for the last request. */
  #uncheckedCount = 0
  /** What messages hold that a history lacks: the files that they touch, and the parts that say what broke rules. */
  #earlier: { since: string; triggers: Array<string>; marked: Array<EntryPart> } | undefined
  /** The rules that the model has read by its last request; undefined if they could not be injected into it. */
  #lastRequest: LastRequest | undefined

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = new HiddenMessage(id, input)
    this.#checks = new StepChecks(id, input)
    this.#touched = new TouchedFiles(this.#triggersOf, input.steps.messageReaderOf(id))
    this.#showBroken = turnEndToast(id, input)
  }

  /** Injects the rules into the history of a request, in place. The checks and the panel come later and cannot remove them. */
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

  async #insert(
    history: History,
    { onDisk, facts, isOn }: RequestInput,
    placed: Array<PlacedRule>,
  ): Promise<void> {
    // The host makes the session's title from this same list, and has already started to copy its messages. A task that
    // is queued now runs after the copy.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed.filter(({ rule }) => isOn(rule)))
    // A call does not wait for a rule that is switched off.
    const shown = [...placed.map(({ rule }) => rule), ...onDisk.rules.filter((rule) => !isOn(rule))]
    this.#lastRequest = { facts, exempt: new Set(shown.map(({ path }) => path)) }
    // A plugin that adds words to each message would show the hidden message to the model.
    const hiddenAt = history.findIndex(isHidden)
    if (hiddenAt >= 0) history.splice(hiddenAt, 1)
  }

  /** Runs a feature that no rule of a request depends on. If it fails, it stays off in this session. */
  async #runFeature<T>(feature: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#failed.has(feature)) return undefined
    const { data, error } = await safeAsync(work)
    if (error === null) return data
    this.#failed.set(feature, truncate(error, MAX_REASON))
    const words = `The ${feature} failed and are off in the session ${this.#id}: ${error}`
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
      const unseen = pluralize(this.#uncheckedCount, 'broken rule')
      faults.push({ feature: 'checks', reason: `no time to check ${unseen} again` })
    }
    return faults
  }

  /** Lists the rules that check in this session, and the parts that say what broke rules before. */
  #checkInput(history: History, { onDisk, isOn }: RequestInput) {
    const checkingRules = [...onDisk.rules.filter(isOn), ...onDisk.checkOnly]
    const hasChecks = checkingRules.some(({ checks }) => checks)
    // A call of the last step gets its marks while the step is checked.
    const marked = () =>
      hasChecks ? [...this.#earlier?.marked ?? [], ...this.#checks.marked.read(history)] : []
    return { checking: checkingRules, marked }
  }

  /** Checks the last step, and reports in the answers of its calls what broke rules. */
  #checkStep(history: History, request: RequestInput, budget: TimeBudget): ReturnType<StepChecks['end']> {
    const { checking, marked } = this.#checkInput(history, request)
    const inForce = checking.filter((rule) => meetsConditions(rule, request.facts))
    return this.#checks.end(history, marked, request.onDisk, inForce, budget)
  }

  /** Checks the last step, and reminds of what broke rules before. Returns everything that still breaks rules. */
  async #check(history: History, request: RequestInput): Promise<Array<Broken>> {
    const budget = new TimeBudget()
    const { reported, read: readText } = await this.#checkStep(history, request, budget)
    const { checking, marked } = this.#checkInput(history, request)
    const parts = marked()
    const broken = await this.#input.findUnresolved(parts, checking, budget, readText)
    this.#uncheckedCount = budget.unseen
    await this.#checks.remind(
      history,
      parts,
      broken.filter((violation) => !reported.has(brokenKey(violation))),
    )
    return broken
  }

  /** Notes a call that starts, and the files that it will write. */
  async callStarts(host: HostCall, args: unknown): Promise<void> {
    if (!WRITING_TOOLS.has(host.tool)) return
    const call = await this.#input.steps.start(host, Object(args))
    await this.#runFeature('checks', () => this.#checks.start(call))
  }

  /** Returns the answer that refuses a call that adds a file whose rules the model has not read; null for other calls. */
  async refusal(tool: string, args: unknown): Promise<string | null> {
    return this.#lastRequest ? refusalFor({ tool, args }, this.#lastRequest, this.#input) : null
  }

  /** Shows the person what breaks rules at the end of a turn. */
  turnEnds(): Promise<void> {
    return this.#showBroken(this.violations)
  }

  readonly #triggersOf = (entry: Entry): Array<string> => reasonsIn(entry, this.#input.places)
  readonly #realNameOf = (name: string) => realNameOf(name, this.#input.places)

  /** Lists the files touched by messages that a compaction summarised or another plugin removed. */
  async #earlierTriggers(history: History): Promise<Array<string> | undefined> {
    const summary = lastSummaryOf(history)
    const since = summary?.id ?? (this.hidden.isMissingFrom(history) ? history[0]?.info.id : undefined)
    if (since === undefined) return this.#earlier = undefined
    if (this.#earlier?.since === since) return this.#earlier.triggers
    const whole = await historyOf(this.#input.client, this.#id)
    if (whole.error !== null) return void this.hidden.logFailure(whole.error)
    this.hidden.locate(whole.data)
    const before = missingMessages(whole.data, history, summary)
    const { triggers } = await new TouchedFiles(this.#triggersOf).read(before).resolveLinks(this.#realNameOf)
    this.#earlier = { since, triggers, marked: markedParts(before) }
    return triggers
  }
}
