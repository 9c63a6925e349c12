import type { Mode, ParsedRule } from './rule-schema.ts'

/** What format-rules last validated; `mode` is the one it was given. */
export type FormattedRules = { rules: Array<string>; mode: Mode | undefined }

type InWork = { parsed?: Array<ParsedRule> | undefined; formatted?: FormattedRules | undefined }

/** How many sessions are remembered; the one that was longest without a word is let go first. */
const MAX_SESSIONS = 200

/**
 * What each session last parsed and formatted, so that format-rules can compare and the writers need no text twice
 * (spec.md, Meaning). It lives in memory: after a restart nothing is known, and nothing compared.
 */
export class RulesInWork {
  readonly #sessions = new Map<string, InWork>()

  /** Notes what parse-rules validated: the beginning of a new set, which nothing formatted before belongs to. */
  rememberParsed(sessionID: string, parsed: Array<ParsedRule>): void {
    this.#put(sessionID, { parsed })
  }

  /** Notes what format-rules validated, or with `undefined` that it refused: a refused set is never written. */
  rememberFormatted(sessionID: string, formatted: FormattedRules | undefined): void {
    this.#put(sessionID, { parsed: this.parsed(sessionID), formatted })
  }

  parsed(sessionID: string): Array<ParsedRule> | undefined {
    return this.#sessions.get(sessionID)?.parsed
  }

  formatted(sessionID: string): FormattedRules | undefined {
    return this.#sessions.get(sessionID)?.formatted
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  #put(sessionID: string, state: InWork): void {
    this.#sessions.delete(sessionID)
    this.#sessions.set(sessionID, state)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
  }
}

/** The hook that lets a session's rules go when the session is deleted. */
export const forgetDeleted = (sessions: RulesInWork) => ({
  async event({ event }: { event: { type: string; properties: unknown } }): Promise<void> {
    if (event.type !== 'session.deleted') return
    const id: unknown = Object(Object(event.properties).info).id
    if (typeof id === 'string') sessions.forget(id)
  },
})
