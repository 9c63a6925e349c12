import { TimeBudget } from '../checks/budget.ts'
import type { Broken } from '../checks/marks.ts'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { PanelFault } from '../host/panel-schema.ts'
import { safeAsync } from '../safe.ts'
import type { HostCall } from '../steps/step-call.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { refusalFor, type ShownRules } from './before-write.ts'
import { brokenKey, markedParts } from './broken-rules.ts'
import { type Facts, factsOf } from './conditions.ts'
import { isOnIn, panelOf, withoutOwnWords } from './hidden-content.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import {
  type Entry,
  type EntryPart,
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  lastSummaryOf,
  missingIn,
} from './history.ts'
import type { Rule } from './rule-files.ts'
import { insertRules, isFor, type PlacedRule, rulesInRequest } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { StepChecks } from './step-checks.ts'
import { realNameOf, reasonsIn, TouchedFiles } from './touched-files.ts'

/** What a request is made from. */
type Now = { onDisk: RulesOnDisk; facts: Facts; isOn: (rule: Rule) => boolean }

const MAX_REASON = 120

/**
 * Brings rules to the requests of a session. Nothing that a request holds is decided by what is remembered here: all of
 * it can be read from the history again, and is kept for speed, or because it concerns a running call.
 */
export class SessionDelivery {
  readonly hidden: HiddenMessage
  /** Whether the next history that the host passes is for a summary. */
  isCompacting = false
  /** What breaks rules in the files, by the last request. */
  broken: Array<Broken> = []
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #checks: StepChecks
  readonly #touched: TouchedFiles
  /** What failed in this session, and why: it is off until OpenCode starts again. */
  readonly #failed = new Map<string, string>()
  /** Why the rules are not in the last request, as where another plugin froze its list; null if they are. */
  #notInserted: string | null = null
  /** How many lines that broke rules were not looked at again for the last request. */
  #unseen = 0
  /** The files that messages touched which a history lacks, the calls that say what broke rules, and since which message. */
  #earlier: { since: string; files: Array<string>; marked: Array<EntryPart> } | undefined
  /** What the model knows by its last request; undefined where the rules could not be injected into that. */
  #known: ShownRules | undefined

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.hidden = new HiddenMessage(id, input)
    this.#checks = new StepChecks(id, input)
    this.#touched = new TouchedFiles(this.#filesOf, input.steps.messageReaderOf(id))
  }

  /** Injects the rules into the history of a request, in place. All that comes after that can take no rule away. */
  async present(history: History): Promise<void> {
    const { isCompacting, hidden } = this
    this.isCompacting = false
    const { readRules, config, places } = this.#input
    if (!isCompacting) this.#known = undefined
    const onDisk = await readRules(false)
    const facts = await factsOf(lastAgentAndModelOf(history), config(), onDisk, places.real)
    hidden.find(history)
    const filesBefore = await this.#filesBefore(history)
    const isOn = isOnIn(await hidden.partsIn(history), places.real)
    const now = { onDisk, facts, isOn }
    // The list without rules, of the same messages.
    const own = [...history]
    if (isCompacting) return void await this.#alone('checks', () => this.#checkStep(own, now))
    const placed = rulesInRequest(
      onDisk.rules,
      await this.#touched.read(history, filesBefore).follow(this.#realNameOf),
      facts,
    )
    this.#notInserted = (await safeAsync(() => this.#insert(history, now, placed))).error
    this.broken = await this.#alone('checks', () => this.#check(own, now)) ?? []
    await this.#alone('panel', async () => {
      const faults = this.#faults()
      const panel = panelOf(onDisk, placed, { places, facts, broken: this.broken, isOn, faults })
      hidden.show(withoutOwnWords(panel))
    })
    // The log has it once.
    if (this.#notInserted !== null) throw new Error(this.#notInserted)
  }

  async #insert(history: History, { onDisk, facts, isOn }: Now, placed: Array<PlacedRule>): Promise<void> {
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed.filter(({ rule }) => isOn(rule)))
    const known = [...placed.map(({ rule }) => rule), ...onDisk.rules.filter((rule) => !isOn(rule))]
    this.#known = { facts, shown: new Set(known.map(({ path }) => path)) }
    // A plugin that adds words to each message would bring it to the model.
    const hiddenAt = history.findIndex(isHidden)
    if (hiddenAt >= 0) history.splice(hiddenAt, 1)
  }

  /** Does what no rule of a request depends on. Where it fails, it is off in this session. */
  async #alone<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#failed.has(what)) return undefined
    const { data, error } = await safeAsync(work)
    if (error === null) return data
    this.#failed.set(what, truncate(error, MAX_REASON))
    const words = `The ${what} failed and are off in the session ${this.#id}: ${error}`
    this.#input.log('error', words, { sessionID: this.#id, reason: error })
    return undefined
  }

  #faults(): Array<PanelFault> {
    const unseen = pluralize(this.#unseen, 'broken rule')
    return [
      ...this.#input.faults(),
      ...(this.#notInserted === null
        ? []
        : [{
          feature: 'rules',
          reason: `not in the last request: ${truncate(this.#notInserted, MAX_REASON)}`,
        }]),
      ...[...this.#failed].map(([feature, error]) => ({ feature, reason: `off in this session: ${error}` })),
      ...(this.#unseen > 0 ? [{ feature: 'checks', reason: `no time to look at ${unseen} again` }] : []),
    ]
  }

  /** Checks the last step in its own time, and tells what it broke; gives the keys of that, and what reads the files. */
  #checkStep(
    history: History,
    { onDisk, facts, isOn }: Now,
    budget = new TimeBudget(),
  ): ReturnType<StepChecks['end']> {
    const on = [...onDisk.rules.filter(isOn), ...onDisk.checking]
    const marked = () => this.#marked(history, on)
    return this.#checks.end(history, marked, onDisk, on.filter((rule) => isFor(rule, facts)), budget)
  }

  /** Checks the last step, looks at what broke rules before, and reminds of it; gives all that stands. */
  async #check(history: History, now: Now): Promise<Array<Broken>> {
    const budget = new TimeBudget()
    const { reported, read } = await this.#checkStep(history, now, budget)
    const on = [...now.onDisk.rules.filter(now.isOn), ...now.onDisk.checking]
    const marked = this.#marked(history, on)
    const broken = await this.#input.brokenNow(marked, on, budget, read)
    this.#unseen = budget.unseen
    await this.#checks.remind(history, marked, broken.filter((one) => !reported.has(brokenKey(one))))
    return broken
  }

  /** Lists the parts that say what broke rules; none where no rule checks anything. */
  #marked(history: History, on: Array<Rule>): Array<EntryPart> {
    const isChecked = on.some(({ checks }) => checks)
    return isChecked ? [...this.#earlier?.marked ?? [], ...this.#checks.marked.read(history)] : []
  }

  /** Notes a call that starts, and the files that it writes. */
  async callStarts(host: HostCall, args: unknown): Promise<void> {
    if (!WRITING_TOOLS.has(host.tool)) return
    const call = await this.#input.steps.start(host, Object(args))
    await this.#alone('checks', () => this.#checks.start(call))
  }

  /** Gives the answer of a call that adds a file whose rules the session's model was not shown, or null. */
  async refusal(tool: string, args: unknown): Promise<string | null> {
    return this.#known ? refusalFor({ tool, args }, this.#known, this.#input) : null
  }

  readonly #filesOf = (entry: Entry): Array<string> => reasonsIn(entry, this.#input.places)
  readonly #realNameOf = (name: string) => realNameOf(name, this.#input.places)

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
    const { names: files } = await new TouchedFiles(this.#filesOf).read(before).follow(this.#realNameOf)
    this.#earlier = { since, files, marked: markedParts(before) }
    return files
  }
}
