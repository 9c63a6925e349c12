import type { Restated } from '../in-place/index.ts'
import type { ParsedPrompt } from '../prompt-schema.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { LruMap } from '../text/lru-map.ts'

/** What format-rules validated; `mode` is undefined where the call gave none. */
export type FormattedRules = {
  rules: Array<string>
  mode: Mode | undefined
  /** The indexes of the rules that were parsed without a reason. */
  withoutReason?: ReadonlySet<number>
}

/** What parse-rules took. */
export type ParsedSet = {
  rules: Array<ParsedRule>
  /** The files in which all sources of the rules stand; empty where no rule has a source. */
  files: Array<string>
  /** The sentences of the file that the rules restate. */
  restated: Array<Restated>
  /** The message of the model with the call. */
  messageID: string
}

/** Rules on their way from parse-rules to a file. */
export type RuleSet = { parsed?: ParsedSet; formatted?: FormattedRules | undefined; isUsed?: boolean }

/** Whether the rules of a set belong to a file, by their sources. */
export const hasSources = ({ parsed }: RuleSet): boolean => (parsed?.files.length ?? 0) > 0

const keyOf = (rules: Array<string>): string => JSON.stringify(rules.map((rule) => rule.trim()))

/** What the tools remember of one session. */
export class SessionRules {
  /** The sets, the oldest first: one for each file, and those without sources of the last message that had some. */
  sets: Array<RuleSet> = []
  prompt: ParsedPrompt | undefined
  /** Whether the last parse-rules was refused. */
  isParseRefused = false
  /** What format-rules refused; rules that were doubted only for their meaning are accepted when they are sent again. */
  readonly #refused = new Map<string, 'faulty' | 'doubted'>()

  /** Stores what parse-rules validated; it replaces an earlier set for the same file. */
  takeParsed(parsed: ParsedSet): void {
    const isKept = (set: RuleSet): boolean =>
      parsed.files.length > 0
        ? set.parsed?.files.some((file) => parsed.files.includes(file)) !== true
        : hasSources(set) || set.parsed?.messageID === parsed.messageID && set.isUsed !== true
    this.sets = [...this.sets.filter(isKept), { parsed }]
    this.isParseRefused = false
  }

  /** Notes that parse-rules refused a set; drops rules without sources, which may be the refused ones. */
  refuseParsed(): void {
    this.isParseRefused = true
    this.sets = this.sets.filter(hasSources)
  }

  /** Lists the sets that format-rules may be about: those that wait for it, or else all, the newest first. */
  toFormat(): Array<RuleSet> {
    const waiting = this.sets.filter(({ parsed, formatted }) =>
      parsed !== undefined && formatted === undefined
    )
    return waiting.length > 0 ? waiting : this.sets.filter(({ parsed }) => parsed !== undefined).reverse()
  }

  /** Lists the sets without sources: several, where one message brought them. */
  unsourced(): Array<RuleSet> {
    return this.sets.filter((set) => !hasSources(set))
  }

  /** Stores what format-rules validated for a set, or for none where nothing was parsed. */
  takeFormatted(set: RuleSet | undefined, formatted: FormattedRules): void {
    this.#refused.delete(keyOf(formatted.rules))
    if (set !== undefined) Object.assign(set, { formatted, isUsed: false })
    else this.sets = [...this.sets.filter(hasSources), { formatted }]
  }

  /** Notes what format-rules refused; the set has no rules to write until they are corrected. */
  refuseFormatted(set: RuleSet | undefined, refused?: { rules: Array<string>; isDoubted: boolean }): void {
    if (set !== undefined) set.formatted = undefined
    else this.sets = this.sets.filter(({ parsed }) => parsed !== undefined)
    if (refused !== undefined) {
      this.#refused.set(keyOf(refused.rules), refused.isDoubted ? 'doubted' : 'faulty')
    }
  }

  /** Whether format-rules refused exactly these rules, and whether only for their meaning. */
  refusal(rules: Array<string>): 'faulty' | 'doubted' | undefined {
    return this.#refused.get(keyOf(rules))
  }

  /** Finds the set with exactly these validated rules. */
  withRules(rules: Array<string>): RuleSet | undefined {
    const key = keyOf(rules)
    return this.sets.findLast(({ formatted }) => formatted !== undefined && keyOf(formatted.rules) === key)
  }
}

/** How many sessions are remembered; one more drops the least recently used one. */
const MAX_SESSIONS = 200

/** What each session parsed and formatted, in memory only: after a restart nothing is compared. */
export class PipelineState {
  readonly #sessions = new LruMap<string, SessionRules>(MAX_SESSIONS)

  /** Gives what is remembered of a session. */
  of(sessionID: string): SessionRules {
    const rules = this.#sessions.get(sessionID) ?? new SessionRules()
    this.#sessions.set(sessionID, rules)
    return rules
  }

  /** Drops all that is remembered of a session. */
  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }
}
