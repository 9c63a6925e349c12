/** Stores the state of a session: the rules that parse-rules accepted, and the texts that format-rules accepted. */
import type { HostConfig } from '../host/config.ts'
import type { ShowText } from '../host/shown-text.ts'
import type { WordsToReplace } from '../in-place/index.ts'
import type { ParsedPrompt } from '../prompt-schema.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { LruMap } from '../text/lru-map.ts'
import { ShownFiles } from '../writing/shown-files.ts'
import { keyOf, Questions } from './questions.ts'

export type FormattedRules = { rules: Array<string>; mode: Mode | undefined }

/** The rules of one call of parse-rules, or of format-rules if it was called alone. */
export type RuleRecord = {
  parsed?: Array<ParsedRule>
  /** The message that called parse-rules. Undefined once rewrite-rules has tried to write the rules. */
  messageID?: string | undefined
  texts?: FormattedRules | undefined
  /** `written` if the texts have replaced their sources. */
  state: 'open' | 'writing' | 'written'
  /** Before `written`: real paths of the files that contain all sources. Once `written`: of the rewritten files. */
  files: Array<string>
  /** The sources, as they are in the first of the files. */
  replaced: Array<WordsToReplace>
}

export const unparsedRecord = (): RuleRecord => ({ state: 'open', files: [], replaced: [] })

/** Whether the rules of a record replace words, not a whole file. */
export const hasSources = (record: RuleRecord | undefined): boolean =>
  record !== undefined && record.files.length > 0

const hasTexts = ({ texts }: RuleRecord, rules: Array<string>): boolean =>
  texts !== undefined && keyOf(texts.rules) === keyOf(rules)

/** Without `file`, whether the record was written to any file. */
export const isWrittenTo = ({ state, files }: RuleRecord, file?: string): boolean =>
  state === 'written' && (file === undefined || files.includes(file))

type SentList = { rules: Array<unknown>; messageID: string | undefined; isRefused: boolean }

export class SessionState {
  readonly shown = new ShownFiles()
  /** The oldest first. */
  records: Array<RuleRecord> = []
  /** Maps a file's real path to the backup of its first rewrite. */
  firstBackups = new Map<string, string>()
  prompt: ParsedPrompt | undefined
  isParseRefused = false
  readonly questions = new Questions()
  /** Maps a tool's name to the last list that was sent to it. The tool's next call may replace items by number. */
  readonly #sent = new Map<string, SentList>()

  storeParsed(parsed: Omit<RuleRecord, 'texts' | 'state'>): void {
    const added: RuleRecord = { ...parsed, state: 'open' }
    this.records = [...this.records.filter((record) => !this.#isReplaced(record, added)), added]
    this.isParseRefused = false
  }

  #isReplaced(earlier: RuleRecord, accepted: RuleRecord): boolean {
    if (hasSources(earlier)) return earlier.files.some((file) => accepted.files.includes(file))
    // After a refusal, format-rules may have stored texts for the refused rules.
    if (this.isParseRefused) return true
    // If a message stores several records without sources, they are for different files.
    return !hasSources(accepted) && earlier.messageID !== accepted.messageID
  }

  storeParseRefused(): void {
    this.isParseRefused = true
    // Records without sources may be an earlier version of the refused rules.
    this.records = this.records.filter(hasSources)
  }

  /** Lists the records to which the texts of a call may belong, the most likely first. */
  recordsToFormat(): Array<RuleRecord> {
    if (this.isParseRefused) return [unparsedRecord()]
    const parsed = this.records.filter((record) => record.parsed !== undefined && record.state === 'open')
    if (parsed.length === 0) return [this.records.find((record) => !hasSources(record)) ?? unparsedRecord()]
    // A model formats rules in the order in which it parsed them. If it formats rules again, these are probably the
    // rules that it parsed last.
    const unformatted = parsed.filter(({ texts }) => texts === undefined)
    const formatted = parsed.filter(({ texts }) => texts !== undefined)
    return [...unformatted, ...formatted.toReversed()]
  }

  storeTexts(record: RuleRecord, texts: FormattedRules): void {
    this.questions.close(texts.rules)
    record.texts = texts
    if (!this.records.includes(record)) this.records = [...this.records.filter(hasSources), record]
  }

  dropTexts(record: RuleRecord = this.recordsToFormat()[0]!): void {
    record.texts = undefined
  }

  /** With `rules`, lists only records with exactly these texts. */
  recordsToWrite(rules?: Array<string>): Array<RuleRecord> {
    const formatted = this.records.filter(({ state, texts }) => state !== 'written' && texts !== undefined)
    return rules === undefined ? formatted : formatted.filter((record) => hasTexts(record, rules))
  }

  /** A record may be written to several files. */
  storeWritten(record: RuleRecord, file: string): void {
    record.files = record.state === 'written' ? [...record.files, file] : [file]
    record.state = 'written'
  }

  areWritten(rules: Array<string>, file: string): boolean {
    return this.records.some((record) => isWrittenTo(record, file) && hasTexts(record, rules))
  }

  forgetWritten(file?: string): void {
    this.records = this.records.filter((record) => !isWrittenTo(record, file))
  }

  listToCorrect(tool: string): Array<unknown> {
    return this.#sent.get(tool)?.rules ?? []
  }

  storeSent(tool: string, sent: SentList): void {
    const last = this.#sent.get(tool)
    // If one message sent several lists, the model corrects the refused list.
    const mustKeepLast = last?.isRefused && !sent.isRefused && last.messageID === sent.messageID
    if (!mustKeepLast) this.#sent.set(tool, sent)
  }
}

const MAX_SESSIONS = 200

/** A state is lost at a restart, or when `MAX_SESSIONS` other sessions have been used since. */
export class SessionStates extends LruMap<string, SessionState> {
  constructor() {
    super(MAX_SESSIONS)
  }

  of(sessionID: string): SessionState {
    return this.getOrCreate(sessionID, () => new SessionState())
  }
}

/** The states shared by all tools that are created without `sessions`. */
export const sharedSessions = new SessionStates()

/** Creates the hook that shares shown files and first backups with child sessions, and drops deleted sessions. */
export const sessionEvents = (sessions: SessionStates) => ({
  async event({ event }: { event: { type: string; properties: unknown } }): Promise<void> {
    const { id, parentID }: { id?: unknown; parentID?: unknown } = Object(Object(event.properties).info)
    if (typeof id !== 'string') return
    if (event.type === 'session.deleted') sessions.delete(id)
    if (event.type !== 'session.created' || typeof parentID !== 'string') return
    const [child, parent] = [sessions.of(id), sessions.of(parentID)]
    child.shown.parent = parent.shown
    child.firstBackups = parent.firstBackups
  },
})

export type PipelineToolOptions = {
  description: string
  sessions?: SessionStates
  /** Paths that count as shown to every session. */
  discovered?: Set<string>
}

/** The options of a tool that reads or writes files. */
export type DiscoverToolOptions = PipelineToolOptions & {
  directory: string
  /** Without the host's merged config, `opencode.json` is read. */
  config?: () => HostConfig | undefined
  show?: ShowText
}

export const shownTo = (
  { discovered, sessions = sharedSessions }: Omit<PipelineToolOptions, 'description'>,
  sessionID: string,
): ShownFiles => discovered === undefined ? sessions.of(sessionID).shown : new ShownFiles(discovered)
