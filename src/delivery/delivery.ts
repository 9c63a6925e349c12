import { refusalFor, type ShownRules } from './before-write.ts'
import { panelOf } from './hidden-content.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import {
  agentOf,
  type Entry,
  type History,
  historyOf,
  lastAgentAndModelOf,
  lastSummaryOf,
  summarisedIn,
} from './history.ts'
import { insertRules, rulesInRequest } from './rules-in-request.ts'
import { TouchedFiles, touchedFiles } from './touched-files.ts'

/**
 * Brings rules to the requests of a session. Nothing that a request holds is decided by what is remembered here: all of
 * it can be read from the history again, and is kept for speed, or because it concerns a running call.
 */
export class SessionDelivery {
  readonly hidden: HiddenMessage
  /** Whether the next history that the host passes is for a summary. */
  isCompacting = false
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #touched: TouchedFiles
  /** The files that were touched before a compaction, and the id of its summary. */
  #earlier: { summary: string; files: Array<string> } | undefined
  #known: ShownRules = { agent: '', shown: new Set(), refused: new Set() }

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
    const { refused } = this.#known
    this.#known = { agent, shown: new Set([...placed.map(({ rule }) => rule.path), ...refused]), refused }
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed)
    hidden.show(panelOf(onDisk, placed, { places, agent }))
  }

  /** Refuses a call that adds a file whose rules the session's model was not shown; gives the answer, or null. */
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
