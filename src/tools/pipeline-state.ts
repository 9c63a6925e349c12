import type { Restated } from '../in-place/index.ts'
import type { ParsedPrompt } from '../prompt-schema.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { LruMap } from '../text/lru-map.ts'
import { ShownFiles } from '../writing/shown-files.ts'

/** What parse-rules took; without `parsed` where format-rules was called without it. */
type Parsed = {
  parsed?: Array<ParsedRule>
  /** The files in which all sources of the rules stand; empty where no rule has a source. */
  files: Array<string>
  /** The sentences of the file that the rules restate. */
  restated: Array<Restated>
  /** The message of the model with the call of parse-rules, until the set is written. */
  messageID?: string | undefined
}

/** What format-rules validated; `mode` is undefined where the call gave none. */
export type Sentences = {
  rules: Array<string>
  mode: Mode | undefined
  /** The sources of each rule, where the set has some. */
  sources?: Array<Array<string>> | undefined
}

/** Rules on their way from parse-rules to a file. */
export type RuleSet =
  & Parsed
  & (
    | { state: 'parsed'; sentences?: undefined }
    // While it is written the question for it may be open: no other call writes it.
    | { state: 'formatted' | 'writing'; sentences: Sentences }
    // In the place of its sources, which are gone: `files` are those in which the rules stand instead.
    | { state: 'written'; sentences: Sentences }
  )

/** Makes a set for sentences that were not parsed. */
export const unparsed = (): RuleSet => ({ state: 'parsed', files: [], restated: [] })

/** Whether the rules of a set belong to a file, by their sources. */
export const hasSources = ({ files }: Parsed): boolean => files.length > 0

const keyOf = (rules: Array<string>): string => JSON.stringify(rules.map((rule) => rule.trim()))

/** The list of rules that a tool was sent, and what became of it. */
type Sent = { rules: Array<unknown>; messageID: string | undefined; isRefused: boolean }

/** What the tools remember of one session. */
export class SessionRules {
  /** What discover-rules showed. */
  readonly shown = new ShownFiles()
  /** The sets, the oldest first: one for each file, and those without sources of the last message that had some. */
  sets: Array<RuleSet> = []
  prompt: ParsedPrompt | undefined
  /** Whether the last parse-rules was refused. */
  isParseRefused = false
  /** The list of each tool to which single corrections are added: the last, or the last that its message had refused. */
  readonly #sent = new Map<string, Sent>()
  /** What was doubted, how, and in which message: format-rules refused it, or it would replace whole files. */
  readonly #doubted = new Map<string, { messageID: string | undefined; doubts: string }>()

  /** Gives the list that a call of a tool may correct. */
  toCorrect(tool: string): Array<unknown> {
    return this.#sent.get(tool)?.rules ?? []
  }

  /** Notes a list that a tool was sent. */
  noteSent(tool: string, sent: Sent): void {
    const last = this.#sent.get(tool)
    if (last?.isRefused && !sent.isRefused && last.messageID === sent.messageID) return
    this.#sent.set(tool, sent)
  }

  /** Stores what parse-rules validated; it replaces an earlier set for the same file. */
  takeParsed(set: Parsed): void {
    const isKept = (one: RuleSet): boolean => {
      // Without sources, and formatted after a refused parse-rules: they may be these very rules.
      if (this.isParseRefused && !hasSources(one)) return false
      return hasSources(set)
        ? !one.files.some((file) => set.files.includes(file))
        : hasSources(one) || one.messageID === set.messageID
    }
    this.sets = [...this.sets.filter(isKept), { ...set, state: 'parsed' }]
    this.isParseRefused = false
  }

  /** Notes that parse-rules refused a set; drops rules without sources, which may be the refused ones. */
  refuseParsed(): void {
    this.isParseRefused = true
    this.sets = this.sets.filter(hasSources)
  }

  /**
   * Lists the sets that format-rules may be about: those that wait for it first, then the others, the last first; or one
   * without parsed rules, as after a refused parse-rules.
   */
  toFormat(): Array<RuleSet> {
    if (this.isParseRefused) return [unparsed()]
    const parsed = this.sets.filter((set) => set.parsed !== undefined && set.state !== 'written')
    if (parsed.length === 0) return [this.sets.find((set) => !hasSources(set)) ?? unparsed()]
    const waiting = parsed.filter(({ state }) => state === 'parsed')
    return [...waiting, ...parsed.filter(({ state }) => state !== 'parsed').reverse()]
  }

  /** Stores what format-rules validated for a set. */
  takeFormatted(set: RuleSet, sentences: Sentences): void {
    this.#doubted.delete(keyOf(sentences.rules))
    Object.assign(set, { state: 'formatted', sentences })
    if (!this.sets.includes(set)) this.sets = [...this.sets.filter(hasSources), set]
  }

  /** Notes that format-rules refused the sentences of a set: it has none to write until they are corrected. */
  refuseFormatted(set: RuleSet = this.toFormat()[0]!): void {
    Object.assign(set, { state: 'parsed', sentences: undefined })
  }

  /** Notes that a set was put in the place of its sources in a file; of another file no source is left. */
  takeWritten(set: RuleSet, file: string, sentences: Sentences): void {
    const files = set.state === 'written' ? [...set.files, file] : [file]
    Object.assign(set, { state: 'written', files, sentences })
  }

  /** Whether exactly these rules were put in the place of their sources in a file last. */
  areInPlace(rules: Array<string> = [], file = ''): boolean {
    return this.sets.some((set) =>
      set.state === 'written' && set.files.includes(file) && keyOf(set.sentences.rules) === keyOf(rules)
    )
  }

  /** Notes that a file was replaced as a whole, or by default any by its backup: what was put into it is not there. */
  takeReplaced(file?: string): void {
    this.sets = this.sets.filter(({ state, files }) =>
      state !== 'written' || file !== undefined && !files.includes(file)
    )
  }

  /** Notes that something was doubted in a message. */
  doubt(what: Array<string>, messageID: string | undefined, doubts = ''): void {
    this.#doubted.set(keyOf(what), { messageID, doubts })
  }

  /** Whether this was doubted last, and not taken since. */
  isDoubted(what: Array<string>): boolean {
    return this.#doubted.has(keyOf(what))
  }

  /** Whether this was so doubted in an earlier message, so that it is meant; the doubt is then forgotten. */
  isMeant(what: Array<string>, messageID: string | undefined, doubts = ''): boolean {
    const last = this.#doubted.get(keyOf(what))
    const isSameMessage = messageID !== undefined && last?.messageID === messageID
    return last?.doubts === doubts && !isSameMessage && this.#doubted.delete(keyOf(what))
  }

  /** Lists the sets that format-rules validated and that are still to be written; with `rules`, those with exactly these. */
  validated(rules?: Array<string>): Array<RuleSet> {
    const key = rules && keyOf(rules)
    return this.sets.filter(({ state, sentences }) =>
      sentences !== undefined && state !== 'written' && (!key || keyOf(sentences.rules) === key)
    )
  }
}

/** How many sessions are remembered; one more drops the least recently used one, which has to begin again. */
const MAX_SESSIONS = 200

/** What each session was shown, parsed and formatted, in memory only: after a restart nothing was. */
export class PipelineState extends LruMap<string, SessionRules> {
  constructor() {
    super(MAX_SESSIONS)
  }

  /** Gives what is remembered of a session. */
  of(sessionID: string): SessionRules {
    return this.getOr(sessionID, () => new SessionRules())
  }
}

/** What tools share that were made without a state of their own. */
export const sharedSessions = new PipelineState()

/** Makes the hook that lets a child session use what its parent was shown, and that forgets a deleted session. */
export const sessionEvents = (sessions: PipelineState) => ({
  async event({ event }: { event: { type: string; properties: unknown } }): Promise<void> {
    const { id, parentID } = Object(Object(event.properties).info) as { id?: unknown; parentID?: unknown }
    if (typeof id !== 'string') return
    if (event.type === 'session.deleted') sessions.delete(id)
    if (event.type !== 'session.created' || typeof parentID !== 'string') return
    sessions.of(id).shown.parent = sessions.of(parentID).shown
  },
})

/** What a tool is made from. */
export type PipelineToolOptions = {
  description: string
  sessions?: PipelineState
  /** Paths that count as shown to every session, in place of what each was shown; what is shown is added. */
  discovered?: Set<string>
}

/** Gives what a session was shown. */
export const shownTo = (
  { discovered, sessions = sharedSessions }: Omit<PipelineToolOptions, 'description'>,
  sessionID: string,
): ShownFiles => discovered === undefined ? sessions.of(sessionID).shown : new ShownFiles(discovered)
