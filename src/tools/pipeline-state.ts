import type { ReplacedWords } from '../in-place/index.ts'
import type { ParsedPrompt } from '../prompt-schema.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { LruMap } from '../text/lru-map.ts'
import { ShownFiles } from '../writing/shown-files.ts'

/** What parse-rules took: the rules, the files in which all their sources stand, and the words that they replace. */
type Parsed = {
  /** Undefined where format-rules was called without parse-rules. */
  parsed?: Array<ParsedRule>
  /** Real paths; several where these files say the same, none where no rule has a source. */
  files: Array<string>
  replaced: Array<ReplacedWords>
  /** The model's message with the call of parse-rules, until the rules are written. */
  messageID?: string | undefined
}

/** What format-rules took; `mode` is undefined where the call gave none. */
export type Texts = { rules: Array<string>; mode: Mode | undefined }

/** The rules of one file from parse-rules to the file, or rules without sources. */
export type RuleRecord = Parsed & {
  texts?: Texts | undefined
  /** Whether its texts were put in the place of their sources, or are right now; then `files` are those that have them. */
  state: 'open' | 'writing' | 'written'
}

/** Makes a record for texts that were not parsed. */
export const unparsed = (): RuleRecord => ({ state: 'open', files: [], replaced: [] })

/** Whether the rules of a record belong to a file, by their sources. */
export const hasSources = ({ files }: Pick<Parsed, 'files'>): boolean => files.length > 0

const keyOf = (rules: Array<string>): string => JSON.stringify(rules.map((rule) => rule.trim()))

/** Whether rules are the texts of a record. */
export const hasTexts = ({ texts }: RuleRecord, rules: Array<string>): boolean =>
  texts !== undefined && keyOf(texts.rules) === keyOf(rules)

/** The list of rules that a tool was sent, and what became of it. */
type Sent = { rules: Array<unknown>; messageID: string | undefined; isRefused: boolean }

const MAX_QUESTIONS = 100

/** What the tools remember of one session. */
export class SessionRules {
  /** What discover-rules showed. */
  readonly shown = new ShownFiles()
  /** The oldest first: one for each file, and those without sources of the last message that had some. */
  records: Array<RuleRecord> = []
  /** The backup of each file that the session's first rewrite of it made, by its real path. */
  readonly firstBackups = new Map<string, string>()
  prompt: ParsedPrompt | undefined
  /** Whether the last parse-rules was refused. */
  isParseRefused = false
  /** The list of each tool to which single corrections are added: the last, or the last that its message had refused. */
  readonly #sent = new Map<string, Sent>()
  /** What was asked about, in which message and why: format-rules refused it, or it would replace whole files. */
  readonly #questions = new LruMap<string, { messageID: string | undefined; why: string }>(MAX_QUESTIONS)

  /** Gives the list that a call of a tool may correct. */
  toCorrect(tool: string): Array<unknown> {
    return this.#sent.get(tool)?.rules ?? []
  }

  /** Stores a list that a tool was sent. */
  storeSent(tool: string, sent: Sent): void {
    const last = this.#sent.get(tool)
    if (last?.isRefused && !sent.isRefused && last.messageID === sent.messageID) return
    this.#sent.set(tool, sent)
  }

  /** Stores what parse-rules took; it replaces an earlier record of the same file. */
  storeParsed(parsed: Parsed): void {
    const isKept = (record: RuleRecord): boolean => {
      // Without sources, and formatted after a refused parse-rules: they may be these very rules.
      if (this.isParseRefused && !hasSources(record)) return false
      return hasSources(parsed)
        ? !record.files.some((file) => parsed.files.includes(file))
        : hasSources(record) || record.messageID === parsed.messageID
    }
    this.records = [...this.records.filter(isKept), { ...parsed, state: 'open' }]
    this.isParseRefused = false
  }

  /** Stores that parse-rules refused rules; drops rules without sources, which may be the refused ones. */
  refuseParsed(): void {
    this.isParseRefused = true
    this.records = this.records.filter(hasSources)
  }

  /**
   * Lists the records that format-rules may be about: those without texts first, in the order of parse-rules, then the
   * others, the last first; or one without parsed rules, as after a refused parse-rules.
   */
  toFormat(): Array<RuleRecord> {
    if (this.isParseRefused) return [unparsed()]
    const parsed = this.records.filter((record) => record.parsed !== undefined && record.state === 'open')
    if (parsed.length === 0) return [this.records.find((record) => !hasSources(record)) ?? unparsed()]
    const waiting = parsed.filter(({ texts }) => texts === undefined)
    return [...waiting, ...parsed.filter(({ texts }) => texts !== undefined).reverse()]
  }

  /** Stores what format-rules took for a record. */
  storeTexts(record: RuleRecord, texts: Texts): void {
    this.#questions.delete(keyOf(texts.rules))
    record.texts = texts
    if (!this.records.includes(record)) this.records = [...this.records.filter(hasSources), record]
  }

  /** Stores that format-rules refused the texts of a record: it has none to write until they are corrected. */
  refuseTexts(record: RuleRecord = this.toFormat()[0]!): void {
    record.texts = undefined
  }

  /** Stores that a record was put in the place of its sources in a file; no other file has these sources left. */
  storeWritten(record: RuleRecord, file: string): void {
    record.files = record.state === 'written' ? [...record.files, file] : [file]
    record.state = 'written'
  }

  /** Forgets what was put into a file that was replaced as a whole since, by default into any file. */
  forgetWritten(file?: string): void {
    this.records = this.records.filter(({ state, files }) =>
      state !== 'written' || file !== undefined && !files.includes(file)
    )
  }

  /** Lists the records with texts to write, or of these the ones with exactly these rules. */
  withTexts(rules?: Array<string>): Array<RuleRecord> {
    return this.records.filter((record) =>
      record.state !== 'written' && record.texts !== undefined
      && (rules === undefined || hasTexts(record, rules))
    )
  }

  /** Whether exactly these rules were put in the place of their sources in a file last. */
  areWritten(rules: Array<string>, file: string): boolean {
    return this.records.some((record) =>
      record.state === 'written' && record.files.includes(file) && hasTexts(record, rules)
    )
  }

  /** Stores that something was asked about in a message. */
  ask(what: Array<string>, messageID: string | undefined, why = ''): void {
    this.#questions.set(keyOf(what), { messageID, why })
  }

  /** Whether this was asked about last, and not taken since. */
  isAsked(what: Array<string>): boolean {
    return this.#questions.has(keyOf(what))
  }

  /** Whether the model insists: the same was asked about in an earlier message. If not, it is asked about now. */
  isConfirmed(what: Array<string>, messageID: string | undefined, why = ''): boolean {
    const question = this.#questions.get(keyOf(what))
    const isSameMessage = messageID !== undefined && question?.messageID === messageID
    const isConfirmed = question?.why === why && !isSameMessage
    if (isConfirmed) this.#questions.delete(keyOf(what))
    else this.ask(what, messageID, why)
    return isConfirmed
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
    return this.getOrCreate(sessionID, () => new SessionRules())
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
