import type { Client } from '../../host/client.ts'
import { WRITING_TOOLS } from '../../host/file-tools.ts'
import type { Hooks } from '../../host/join-hooks.ts'
import type { Log } from '../../host/log.ts'
import { storePart } from '../../host/message-parts.ts'
import { reasonOf } from '../../safe.ts'
import type { Corrected, PastCall } from './call.ts'
import { markCorrected } from './result.ts'

type Messages = Parameters<NonNullable<Hooks['experimental.chat.messages.transform']>>[1]['messages']
export type Part = Messages[number]['parts'][number]
type ToolPart = Extract<Part, { type: 'tool' }>

/** The notes at the end of a result: all that it may end with, and what it is to end with. */
export type NoteChange = { known: Array<string>; now: string }

/** What is told of a file, and what is told instead where something was told of it already. */
export type FileNote = { path: string; note: string; again: string }

/** What a call is to show in place of what it was stored with. */
export type Correction = {
  sessionID: string
  /**
   * All arguments that the history may have for the call. A call of the same id with other arguments is another call.
   */
  known: Array<Record<string, unknown>>
  /** The arguments that have other values now. */
  args: Record<string, string>
  /** The notes of its result, where they change. */
  note: NoteChange | null
}

type Progress = { state: 'new' | 'storing' | 'stored' | 'failed'; attempts: number }

/** The notes of files behind a call's own, by file: what was told since it ended. */
type Told = { own: string; files: Map<string, string> }

type Kept = Correction & Progress & { told?: Told }

/** Stores a part of a message as given; throws where it could not be stored. */
export type StorePart = (part: ToolPart) => Promise<void>

const MAX_ATTEMPTS = 3

/** Stores parts by the host's client. It does not wait longer than any request to the host. */
export const storePartOf = (client: Client): StorePart => async (part) => {
  const stored = await storePart(client, part)
  if (stored.error !== null) throw new Error(stored.error)
}

/** The arguments by which calls of one id are told apart: some models count their calls anew in each session or turn. */
const TEXT_ARGUMENTS = ['filePath', 'content', 'oldString', 'newString', 'patchText']

const isSame = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  TEXT_ARGUMENTS.every((name) => one[name] === other[name])

const distinct = (inputs: Array<Record<string, unknown>>): Array<Record<string, unknown>> =>
  inputs.filter((one, index) => inputs.findIndex((other) => isSame(one, other)) === index)

const isOf = (input: Record<string, unknown>, { known, args }: Correction): boolean =>
  known.some((one) => isSame(input, one) || isSame(input, { ...one, ...args }))

const outputNow = (output: string, note: NoteChange | null): string => {
  if (!note) return output
  const stands = [...note.known, note.now].filter((one) => output.endsWith(one))
    .reduce((longest, one) => one.length > longest.length ? one : longest, '')
  return output.slice(0, output.length - stands.length) + note.now
}

/** What the model reads of a call that is over; a call that the person ended has an error. */
const resultOf = (state: ToolPart['state']): string | null =>
  state.status === 'completed' ? state.output : state.status === 'error' ? state.error : null

const isTrue = ({ state }: ToolPart, { args, note }: Correction): boolean => {
  const result = resultOf(state)
  return Object.entries(args).every(([name, value]) => state.input[name] === value)
    && (result === null || outputNow(result, note) === result)
}

const corrected = (part: ToolPart, { args, note }: Correction): ToolPart => {
  const { state } = part
  const input = { ...state.input, ...args }
  if (state.status === 'error') {
    return { ...part, state: { ...state, input, error: outputNow(state.error, note) } }
  }
  if (state.status !== 'completed') return { ...part, state: { ...state, input } }
  const metadata = Object.keys(args).length > 0 ? markCorrected(state.metadata) : state.metadata
  return { ...part, state: { ...state, input, metadata, output: outputNow(state.output, note) } }
}

/**
 * Corrects what tool calls say in a session's history (format-on-save.md, Message History Updates). A correction is
 * applied to every model request from the moment it is known. It is stored in the history as soon as its part is
 * complete, and forgotten once the history was seen to have it. Where it cannot be stored, it goes on being applied
 * to each request.
 *
 * A correction is found by its session, its call's id and the call's arguments. A fork gives parts new ids but keeps
 * those of the calls: a call without a correction of its own session has that of another.
 */
export class Corrections {
  /** By the id of their call. */
  readonly #corrections = new Map<string, Array<Kept>>()
  readonly #store: StorePart
  readonly #log: Log

  constructor(store: StorePart, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** How many corrections are remembered. */
  get size(): number {
    return [...this.#corrections.values()].reduce((sum, all) => sum + all.length, 0)
  }

  /** Sets what a call is to show, in place of its earlier correction. */
  set(callID: string, correction: Correction, told?: Told): void {
    const all = this.#corrections.get(callID) ?? []
    const last = this.#earlier(callID, correction)
    const known = last ? [...last.known, ...last.known.map((one) => ({ ...one, ...last.args }))] : []
    const kept: Kept = {
      ...correction,
      ...(told ? { told } : {}),
      known: distinct([...known, ...correction.known]),
      state: 'new',
      attempts: 0,
    }
    this.#corrections.set(callID, [...all.filter((one) => one !== last), kept])
  }

  /**
   * Corrects one argument of a call, and keeps what an earlier correction made of the others.
   *
   * @param input the call's arguments as they are now
   */
  add(
    callID: string,
    sessionID: string,
    input: Record<string, unknown>,
    { argument, value }: Corrected,
  ): void {
    const last = this.#earlier(callID, { sessionID, known: [input] })
    const args = { ...last?.args, [argument]: value }
    this.set(callID, { sessionID, known: [{ ...input }], args, note: last?.note ?? null })
  }

  /** Adds a file's note to the result of a call that has ended. A second one of that file says `again` instead. */
  tell({ callID, input }: PastCall, sessionID: string, { path, note, again }: FileNote): void {
    const last = this.#earlier(callID, { sessionID, known: [input] })
    const { own, files } = last?.told ?? { own: last?.note?.now ?? '', files: new Map<string, string>() }
    const told = { own, files: new Map(files).set(path, files.has(path) ? again : note) }
    const now = own + [...told.files.values()].map((one) => `\n\n${one}`).join('')
    const known = last?.note ? [...new Set([...last.note.known, last.note.now])] : []
    this.set(callID, { sessionID, known: [{ ...input }], args: last?.args ?? {}, note: { known, now } }, told)
  }

  #earlier(callID: string, { sessionID, known }: Pick<Correction, 'sessionID' | 'known'>): Kept | undefined {
    return this.#corrections.get(callID)?.find((one) =>
      one.sessionID === sessionID && known.some((input) => isOf(input, one))
    )
  }

  /** Finds the correction of a part, that of its own session first. */
  #correctionOf(part: ToolPart): Kept | undefined {
    const all = this.#corrections.get(part.callID)?.filter((one) => isOf(part.state.input, one)) ?? []
    const own = all.findLast(({ sessionID }) => sessionID === part.sessionID)
    // Readings of one file in several sessions may have the same id; each shows the file as it then was.
    return own ?? (WRITING_TOOLS.has(part.tool) ? all.at(-1) : undefined)
  }

  /** Corrects the messages of a model request in place. */
  apply(messages: Messages): void {
    if (this.#corrections.size === 0) return
    const seen = new Set<Kept>()
    const needed = new Set<Kept>()
    for (const { parts } of messages) {
      for (const [index, part] of parts.entries()) {
        if (part.type !== 'tool') continue
        const correction = this.#correctionOf(part)
        if (!correction) continue
        if (isTrue(part, correction)) {
          if (correction.sessionID === part.sessionID && correction.state !== 'storing') seen.add(correction)
        } else {
          needed.add(correction)
          void this.#keep(part, correction)
          parts[index] = corrected(part, correction)
        }
      }
    }
    // Two calls of one id with the same arguments share a correction.
    this.#forget((one) => seen.has(one) && !needed.has(one))
  }

  /** Stores the corrections of a history that is at rest. */
  async store(messages: Messages): Promise<void> {
    for (const { parts } of messages) for (const part of parts) await this.partUpdated(part)
  }

  /** Stores the correction of a part that is now complete, if there is one. */
  async partUpdated(part: Part): Promise<void> {
    if (this.#corrections.size === 0 || part.type !== 'tool') return
    const correction = this.#correctionOf(part)
    if (correction && !isTrue(part, correction)) await this.#keep(part, correction)
  }

  /** Forgets the corrections that the history of a session at rest has: it is read afresh before the next request. */
  sessionIdle(sessionID: string): void {
    this.#forget((correction) => correction.sessionID === sessionID && correction.state === 'stored')
  }

  sessionDeleted(sessionID: string): void {
    this.#forget((correction) => correction.sessionID === sessionID)
  }

  #forget(isOver: (correction: Kept) => boolean): void {
    for (const [callID, all] of this.#corrections) {
      const left = all.filter((one) => !isOver(one))
      if (left.length > 0) this.#corrections.set(callID, left)
      else this.#corrections.delete(callID)
    }
  }

  async #keep(part: ToolPart, correction: Kept): Promise<void> {
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
