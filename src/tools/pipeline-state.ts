import { createHash } from 'node:crypto'
import { LruMap } from '../files/lru-map.ts'
import type { ParsedPrompt } from '../prompt-schema.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'

/** What format-rules last validated; `mode` is the one it was given. */
export type FormattedRules = {
  rules: Array<string>
  mode: Mode | undefined
  /** The indexes of the rules that were parsed without a reason (spec.md, Reasons). */
  withoutReason?: ReadonlySet<number>
}

type InWork = {
  parsed?: Array<ParsedRule> | undefined
  formatted?: FormattedRules | undefined
  prompt?: ParsedPrompt | undefined
  /** The hashes of the sets of rules whose meaning was doubted. */
  doubted?: ReadonlySet<string> | undefined
}

const hashOf = (rules: Array<string>): string =>
  createHash('sha256').update(JSON.stringify(rules)).digest('base64')

/** How many sessions are remembered; the one that was longest without a word is let go first. */
const MAX_SESSIONS = 200

/**
 * What each session last parsed and formatted, so that format-rules can compare, and the writers and format-prompt need
 * no text twice (spec.md, Meaning, No text twice). It lives in memory: after a restart nothing is known, and nothing compared.
 */
export class PipelineState {
  readonly #sessions = new LruMap<string, InWork>(MAX_SESSIONS)

  /** Notes what parse-rules validated: the beginning of a new set, which nothing formatted before belongs to. */
  rememberParsed(sessionID: string, parsed: Array<ParsedRule>): void {
    // A new set lets go of what was formatted before it, and of nothing else.
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

  /** Notes what parse-prompt took, or with `undefined` that it refused: tasks before a refused set are not meant. */
  rememberPrompt(sessionID: string, prompt: ParsedPrompt | undefined): void {
    this.#sessions.set(sessionID, { ...this.#sessions.get(sessionID), prompt })
  }

  parsed(sessionID: string): Array<ParsedRule> | undefined {
    return this.#sessions.get(sessionID)?.parsed
  }

  formatted(sessionID: string): FormattedRules | undefined {
    return this.#sessions.get(sessionID)?.formatted
  }

  prompt(sessionID: string): ParsedPrompt | undefined {
    return this.#sessions.get(sessionID)?.prompt
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }
}

/** The hook that lets a session's rules go when the session is deleted. */
export const forgetDeleted = (sessions: PipelineState) => ({
  async event({ event }: { event: { type: string; properties: unknown } }): Promise<void> {
    if (event.type !== 'session.deleted') return
    const id: unknown = Object(Object(event.properties).info).id
    if (typeof id === 'string') sessions.forget(id)
  },
})
