import type { ParsedPrompt } from '../prompt-schema.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { LruMap } from '../text/lru-map.ts'
import { fingerprintOf } from '../text/read.ts'

/** What format-rules last validated; `mode` is undefined where the call gave none. */
export type FormattedRules = {
  rules: Array<string>
  mode: Mode | undefined
  /** The indexes of the rules that were parsed without a reason (spec.md, Reasons). */
  withoutReason?: ReadonlySet<number>
}

/** What the tools remember of one session. */
type SessionState = {
  parsed?: Array<ParsedRule> | undefined
  formatted?: FormattedRules | undefined
  prompt?: ParsedPrompt | undefined
  /** The hashes of the sets of rules whose meaning was doubted: sent again, they are taken (spec.md, Meaning). */
  doubted?: ReadonlySet<string> | undefined
}

const hashOf = (rules: Array<string>): string => fingerprintOf(Buffer.from(JSON.stringify(rules)))

/** How many sessions are remembered; one more forgets the one that was silent for longest. */
const MAX_SESSIONS = 200

/**
 * What each session last parsed and formatted, so that format-rules can compare, and the writers and format-prompt need
 * no text twice (spec.md, Meaning and No text twice). It lives in memory: after a restart nothing is compared.
 */
export class PipelineState {
  readonly #sessions = new LruMap<string, SessionState>(MAX_SESSIONS)

  /** Notes what parse-rules validated, and drops what was formatted before, which belongs to other rules. */
  rememberParsed(sessionID: string, parsed: Array<ParsedRule>): void {
    this.#sessions.set(sessionID, { ...this.#sessions.get(sessionID), parsed, formatted: undefined })
  }

  /** Notes what format-rules validated, or with `undefined` that it refused: a refused set is never written. */
  rememberFormatted(sessionID: string, formatted: FormattedRules | undefined): void {
    this.#sessions.set(sessionID, { ...this.#sessions.get(sessionID), formatted })
  }

  /** Notes the rules whose meaning was doubted, so that the same ones are taken when they come again. */
  rememberDoubted(sessionID: string, rules: Array<string>): void {
    const state = this.#sessions.get(sessionID)
    this.#sessions.set(sessionID, { ...state, doubted: new Set([...(state?.doubted ?? []), hashOf(rules)]) })
  }

  /** Whether the meaning of the very same rules was doubted before in this session. */
  wasDoubted(sessionID: string, rules: Array<string>): boolean {
    return this.#sessions.get(sessionID)?.doubted?.has(hashOf(rules)) ?? false
  }

  /** Notes what parse-prompt took, or with `undefined` that it refused: the tasks before a refused set are not meant. */
  rememberPrompt(sessionID: string, prompt: ParsedPrompt | undefined): void {
    this.#sessions.set(sessionID, { ...this.#sessions.get(sessionID), prompt })
  }

  /** Gives what parse-rules last validated. */
  parsed(sessionID: string): Array<ParsedRule> | undefined {
    return this.#sessions.get(sessionID)?.parsed
  }

  /** Gives what format-rules last validated since then. */
  formatted(sessionID: string): FormattedRules | undefined {
    return this.#sessions.get(sessionID)?.formatted
  }

  /** Gives what parse-prompt last took. */
  prompt(sessionID: string): ParsedPrompt | undefined {
    return this.#sessions.get(sessionID)?.prompt
  }

  /** Drops all that is remembered of a session. */
  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }
}
