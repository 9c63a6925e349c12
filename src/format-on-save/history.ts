import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import { callHost } from '../host-call.ts'
import type { Log } from '../log.ts'
import { reasonOf } from '../safe.ts'
import type { Corrected } from './call.ts'

type Messages = Parameters<NonNullable<Hooks['experimental.chat.messages.transform']>>[1]['messages']
export type Part = Messages[number]['parts'][number]
type ToolPart = Extract<Part, { type: 'tool' }>

type Correction = Corrected & {
  sessionID: string
  /** The call as the model sent it: one of the same id that says something else is another call. */
  sent: Record<string, unknown>
  state: 'new' | 'storing' | 'stored' | 'failed'
  attempts: number
}

/** Stores a part of a message as given; throws where it could not be stored. */
export type StorePart = (part: ToolPart) => Promise<void>

const MAX_ATTEMPTS = 3

/** A store over the host's client, which has no name for this request. A request that is late goes on unawaited. */
export const storePartOf = (client: PluginInput['client']): StorePart => async (part) => {
  const stored = await callHost(() =>
    client['_client'].patch({
      url: '/session/{sessionID}/message/{messageID}/part/{partID}',
      path: { sessionID: part.sessionID, messageID: part.messageID, partID: part.id },
      body: part,
      headers: { 'content-type': 'application/json' },
    })
  )
  if (stored.error !== null) throw new Error(stored.error)
}

/** Whether a part is the call that a correction is of: some models count their calls anew in each session. */
const isSent = ({ state: { input } }: ToolPart, { argument, sent }: Correction): boolean =>
  input[argument] === sent[argument] && input['filePath'] === sent['filePath']

const corrected = (part: ToolPart, { argument, value }: Corrected): ToolPart => ({
  ...part,
  state: { ...part.state, input: { ...part.state.input, [argument]: value } },
})

/**
 * The corrections of tool calls (format-on-save.md, Message History Updates): each is applied to every model request
 * from the moment it is known, stored in the session's history as soon as its part is complete, and forgotten once
 * the history was seen to say it. Where it cannot be stored it goes on being applied.
 *
 * Corrections are known by their call's id, which a fork keeps while it gives parts new ids.
 */
export class History {
  readonly #corrections = new Map<string, Correction>()
  readonly #store: StorePart
  readonly #log: Log

  constructor(store: StorePart, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** How many corrections are remembered. */
  get size(): number {
    return this.#corrections.size
  }

  /** @param sent the call's arguments as the model sent them */
  add(
    callID: string,
    sessionID: string,
    sent: Record<string, unknown>,
    { argument, value }: Corrected,
  ): void {
    this.#corrections.set(callID, {
      argument,
      value,
      sessionID,
      sent: { ...sent },
      state: 'new',
      attempts: 0,
    })
  }

  /** Corrects the messages of a model request in place. */
  apply(messages: Messages): void {
    if (this.#corrections.size === 0) return
    for (const { parts } of messages) {
      for (const [index, part] of parts.entries()) {
        const correction = part.type === 'tool' ? this.#corrections.get(part.callID) : undefined
        if (!correction || part.type !== 'tool') continue
        const says = part.state.input[correction.argument]
        if (says === correction.value && correction.state === 'stored') this.#corrections.delete(part.callID)
        if (!isSent(part, correction)) continue
        void this.#keep(part, correction)
        parts[index] = corrected(part, correction)
      }
    }
  }

  /** Stores the correction of a part that is now complete, if there is one. */
  async partUpdated(part: Part): Promise<void> {
    if (this.#corrections.size === 0 || part.type !== 'tool') return
    const correction = this.#corrections.get(part.callID)
    if (correction && isSent(part, correction)) await this.#keep(part, correction)
  }

  /** Forgets what a session's history says now: the session is at rest and will read its history afresh. */
  sessionIdle(sessionID: string): void {
    this.#forget((correction) => correction.sessionID === sessionID && correction.state === 'stored')
  }

  sessionDeleted(sessionID: string): void {
    this.#forget((correction) => correction.sessionID === sessionID)
  }

  #forget(isOver: (correction: Correction) => boolean): void {
    for (const [callID, correction] of this.#corrections) {
      if (isOver(correction)) this.#corrections.delete(callID)
    }
  }

  async #keep(part: ToolPart, correction: Correction): Promise<void> {
    const { state, attempts } = correction
    // A call that the person ended while its file was formatted has written it nevertheless.
    const isOver = part.state.status === 'completed' || part.state.status === 'error'
    if (!isOver || state === 'storing' || state === 'stored') return
    if (attempts >= MAX_ATTEMPTS) return
    correction.state = 'storing'
    correction.attempts += 1
    try {
      await this.#store(corrected(part, correction))
      correction.state = 'stored'
    } catch (thrown) {
      correction.state = 'failed'
      this.#log('warn', `A corrected ${part.tool} call could not be stored: ${reasonOf(thrown)}`)
    }
  }
}
