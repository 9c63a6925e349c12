import type { Client } from '../host/client.ts'
import type { HostConfig } from '../host/config.ts'
import type { Log } from '../host/log.ts'
import { type Panel, sessionRules } from '../host/panel-schema.ts'
import { within } from '../safe.ts'
import { refusalFor, type ShownRules } from './before-write.ts'
import { HiddenMessage } from './hidden-message.ts'
import {
  type AgentAndModel,
  defaultAgentAndModel,
  defaultAgentOf,
  type Entry,
  type History,
  historyOf,
  lastAgentAndModelOf,
  lastSummaryOf,
  summarisedIn,
} from './history.ts'
import { panelOf, storedPath } from './panel-data.ts'
import { formatRules, inForceOf, insertRules, rulesInRequest } from './rules-in-request.ts'
import { hasRules, type ReadRules, type RulesOnDisk } from './rules-on-disk.ts'
import { type SessionPlaces, TouchedFiles, touchedFiles } from './touched-files.ts'

/** What the delivery of one instance of the host works with. */
export type DeliveryInput = {
  client: Client
  log: Log
  /** Logs what was sent to which session and why, where the person asked for it. */
  debug: (line: string) => void
  places: SessionPlaces
  config: () => HostConfig
  readRules: ReadRules
}

// How long a person's message waits at most for the hidden one.
const PATIENCE_MS = 10_000

const NO_RULE = 'No rule of the project applies to this session yet.'

/** Why a hidden message is sent: what the person said it with, or else what the session was created with. */
type Occasion = { isAgain?: boolean; said?: AgentAndModel; createdWith?: AgentAndModel }

/**
 * Brings rules to a session: injects them into each request, and stores the hidden message for the panel. No model sees
 * that message, and nothing that a request holds is decided by it or by what is remembered here: all of it can be read
 * from the history again, and is kept for speed, or because it concerns a running call.
 */
export class SessionDelivery {
  readonly #id: string
  readonly #input: DeliveryInput
  readonly #hidden: HiddenMessage
  readonly #touched: TouchedFiles
  /** The files that were touched before a compaction, and the id of its summary. */
  #earlier: { summary: string; files: Array<string> } | undefined
  /** Whether the next history that the host passes is for a summary. */
  #isCompacting = false
  /** The id of the first message that the person undid, while they may still redo it. */
  #undoneFrom: string | undefined
  /** What the last request held, and the sets of rules that a call was refused for, each with the request before it. */
  #request: ShownRules = { agent: '', shown: new Set() }
  readonly #refusedIn = new Map<string, ShownRules>()
  /** Resolves when all that is queued is done. */
  #work = Promise.resolve()

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.#hidden = new HiddenMessage(input.client, id)
    this.#touched = new TouchedFiles(this.#filesOf)
  }

  /** Sends the hidden message after the session was created, with this agent and model, where they are known. */
  async created(createdWith: AgentAndModel): Promise<void> {
    const isKnown = createdWith.agent !== undefined || createdWith.model !== undefined
    await this.#queue(() => this.#send(isKnown ? { createdWith } : {}))
  }

  /** Sends the hidden message again after the session was compacted. */
  async compacted(): Promise<void> {
    // Without a new message since the last compaction the host passes no history to summarise.
    this.#isCompacting = false
    await this.#queue(() => this.#send({ isAgain: true }))
  }

  /** Updates the panel to the rules of the next request, after an undo from a message on, or a redo. */
  async undone(messageID: string | undefined): Promise<void> {
    if (this.#undoneFrom === messageID) return
    this.#undoneFrom = messageID
    await this.#queue(async () => {
      const history = await historyOf(this.#input.client, this.#id)
      const onDisk = await this.#input.readRules(true)
      if (history.error !== null || onDisk.error !== null) return
      await this.#store(this.#contentOf(onDisk.data, history.data).panel)
    })
  }

  /**
   * Sends the hidden message, if there is none, before the person's message is stored. A message that was sent before the
   * person's first is sent again if that has another agent or model.
   */
  async received(said: AgentAndModel): Promise<void> {
    this.#isCompacting = false
    const work = this.#queue(async () => {
      await this.#send({ said })
      if (this.#hidden.wasEarlyFor(said)) await this.#send({ said, isAgain: true })
    })
    await within(PATIENCE_MS, work)
  }

  /** Notes that the next history that `present` gets is for a summary. */
  compacting(): void {
    this.#isCompacting = true
  }

  /** Injects the rules into the history of a request, in place. */
  async present(history: History): Promise<void> {
    const isCompacting = this.#isCompacting
    this.#isCompacting = false
    if (isCompacting) return
    const onDisk = await this.#input.readRules(false)
    if (onDisk.error !== null) return this.#failed(onDisk.error)
    this.#hidden.find(history)
    const agent = this.#agentOf(lastAgentAndModelOf(history))
    const touched = this.#touched.read(history, await this.#filesBefore(history))
    const placed = rulesInRequest(onDisk.data.rules, touched, agent)
    this.#request = { agent, shown: new Set(inForceOf(placed).map(({ rule }) => rule.path)) }
    // The host makes a session's title from the same list that this hook changes. It has already started, and copies the
    // messages first: a task that is queued now runs after that.
    await new Promise((resolve) => setImmediate(resolve))
    insertRules(history, placed)
    const panel = panelOf(onDisk.data, placed, { worktree: this.#worktree, agent })
    if (this.#hidden.shows(panel) || !(this.#hidden.isThere || hasRules(onDisk.data))) return
    void this.#queue(() => this.#store(panel))
  }

  /** Refuses a call that adds a file whose rules the session's model was not shown; gives the answer, or null. */
  refusal(tool: string, args: unknown): Promise<string | null> {
    return refusalFor({ tool, args, request: this.#request, refusedIn: this.#refusedIn }, this.#input)
  }

  get #worktree(): string {
    return this.#input.places.real.worktree
  }

  readonly #filesOf = (entry: Entry): Array<string> => touchedFiles(entry, this.#input.places)

  #agentOf(agentAndModel: AgentAndModel | undefined): string {
    return agentAndModel?.agent ?? defaultAgentOf(this.#input.config())
  }

  /** Lists the files touched in the messages that the last compaction of a history summarised. */
  async #filesBefore(history: History): Promise<Array<string> | undefined> {
    const summary = lastSummaryOf(history)
    if (summary === undefined) return undefined
    if (this.#earlier?.summary === summary.id) return this.#earlier.files
    const whole = await historyOf(this.#input.client, this.#id)
    if (whole.error !== null) return void this.#failed(whole.error)
    this.#hidden.find(whole.data)
    const files = new TouchedFiles(this.#filesOf).read(summarisedIn(whole.data, history, summary)).names
    this.#earlier = { summary: summary.id, files }
    return files
  }

  /** Queues work; what it throws is logged. */
  #queue(work: () => Promise<void>): Promise<void> {
    return this.#work = this.#work.then(work).catch((thrown) => this.#failed(String(thrown)))
  }

  #failed(reason: string): void {
    const sessionID = this.#id
    this.#input.log('error', `The rules did not reach the session ${sessionID}: ${reason}`, {
      sessionID,
      reason,
    })
  }

  #logRules(panel: Panel): void {
    const { inForce, offered } = sessionRules(panel)
    const reasons = [
      ...inForce.map(({ name, file }) => `${name} (${file === undefined ? 'always' : `because of ${file}`})`),
      ...offered.map(({ name }) => `${name} (offered)`),
    ]
    if (reasons.length > 0) this.#input.debug(`Rules for ${this.#id}: ${reasons.join(', ')}`)
  }

  /** Stores a panel in the hidden message, which is sent first where there is none. */
  async #store(panel: Panel): Promise<void> {
    await this.#send({})
    if (!this.#hidden.isThere || this.#hidden.shows(panel)) return
    const stored = await this.#hidden.show(panel)
    if (stored.error !== null) return this.#failed(stored.error)
    this.#logRules(panel)
  }

  /** Makes the hidden message from the whole history: the project's rules in force, and the panel. */
  #contentOf(onDisk: RulesOnDisk, history: History, said?: AgentAndModel): { text: string; panel: Panel } {
    const worktree = this.#worktree
    const end = history.findIndex(({ info }) => info.id === this.#undoneFrom)
    const standing = end < 0 ? history : history.slice(0, end)
    const agent = this.#agentOf(said ?? lastAgentAndModelOf(standing))
    const placed = rulesInRequest(onDisk.rules, new TouchedFiles(this.#filesOf).read(standing), agent)
    const ofProject = inForceOf(placed).map(({ rule }) => rule)
      .filter(({ path }) => !storedPath(path, worktree).own)
    const text = formatRules(ofProject, ({ path }) => storedPath(path, worktree).path)
    return { text: text || NO_RULE, panel: panelOf(onDisk, placed, { worktree, agent }) }
  }

  /** Sends the hidden message where there is none, or sends it again. */
  async #send({ isAgain = false, said, createdWith }: Occasion): Promise<void> {
    const { client, readRules, config } = this.#input
    const hidden = this.#hidden
    if (hidden.isThere && !isAgain) return
    const onDisk = await readRules(true)
    if (onDisk.error !== null) return this.#failed(onDisk.error)
    if (!hidden.isThere && !hasRules(onDisk.data)) return
    const history = await historyOf(client, this.#id)
    if (history.error !== null) return this.#failed(history.error)
    hidden.find(history.data)
    if (hidden.isThere && !isAgain) return
    const last = said ?? lastAgentAndModelOf(history.data)
    const agentAndModel = last ?? createdWith ?? defaultAgentAndModel(config())
    if (!agentAndModel) return
    const content = this.#contentOf(onDisk.data, history.data, agentAndModel)
    const isEarly = last === undefined
    const sent = await hidden.send(history.data, { ...content, agentAndModel, isEarly })
    if (sent.error !== null) return this.#failed(sent.error)
    this.#logRules(content.panel)
  }
}
