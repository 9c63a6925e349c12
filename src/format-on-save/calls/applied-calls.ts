import { relative } from 'node:path'
import type { Place } from '../../files/boundary.ts'
import { LruMap } from '../../files/lru-map.ts'
import { realign } from '../realign/realign.ts'
import { CallChain } from './call-chain.ts'
import type { Call, ChangedFile } from './call.ts'
import type { Applied } from './edits.ts'
import type { FilesInContext } from './files-in-context.ts'
import type { Corrections } from './history-corrections.ts'
import { noteOf } from './note.ts'
import type { ToolOutput } from './result.ts'

/** A call that was applied. */
export type AppliedCall = {
  callID: string
  sessionID: string
  call: Call
  /** The same with its arguments as the model sent them: those of `call` may have been carried over a formatting. */
  asSent: Call
  /** What the history is to say for its arguments where no formatting changes that, and all that it may say. */
  said: Record<string, unknown>
  known: Array<Record<string, unknown>>
  /** Its result until the host has taken it, and the words of that result without a note. */
  output: ToolOutput | null
  words: string
  /** What it tells, by file, and all that it may have told. */
  notes: Map<string, string>
  knownNotes: Array<string>
  chains: Map<string, CallChain>
}

/** Begins the record of a call that was applied. */
export const appliedCallOf = (
  call: Pick<AppliedCall, 'callID' | 'sessionID' | 'call' | 'asSent' | 'said' | 'known'> & {
    output: ToolOutput
  },
): AppliedCall => ({
  ...call,
  words: call.output.output,
  notes: new Map(),
  knownNotes: [''],
  chains: new Map(),
})

export type AppliedCallsPlace = { place: Place; corrections: Corrections; shown: FilesInContext }

// A session goes back to what it wrote lately.
const MAX_CHAINS = 64

const keyOf = (sessionID: string, path: string): string => `${sessionID} ${path}`

const noteIn = ({ notes }: AppliedCall): string =>
  [...notes.values()].filter((note) => note !== '').map((note) => `\n\n${note}`).join('')

/** What the calls of sessions made of their files, and what each of them is to say now. */
export class AppliedCalls {
  readonly #directory: string
  readonly #corrections: Corrections
  readonly #shown: FilesInContext
  /** The newest chain of each session on each file. */
  readonly #chains = new LruMap<string, CallChain>(MAX_CHAINS)
  readonly #calls = new WeakMap<CallChain, Array<AppliedCall>>()

  constructor({ place: { directory }, corrections, shown }: AppliedCallsPlace) {
    this.#directory = directory
    this.#corrections = corrections
    this.#shown = shown
  }

  /** The newest chain of a session on a file. */
  chainOf(sessionID: string, path: string): CallChain | undefined {
    return this.#chains.get(keyOf(sessionID, path))
  }

  /** A session's model is asked: it sees what its calls say now. */
  modelAsked(sessionID: string): void {
    for (const key of this.#keysOf(sessionID)) this.#chains.get(key)!.isSeen = true
  }

  /** A session is deleted. */
  forget(sessionID: string): void {
    for (const key of this.#keysOf(sessionID)) this.#chains.delete(key)
  }

  #keysOf(sessionID: string): Array<string> {
    return this.#chains.keys().filter((key) => key.startsWith(keyOf(sessionID, '')))
  }

  /** Adds what a call made of a file that said `before`. */
  add(call: AppliedCall, file: ChangedFile, before: string | null, applied: Applied): CallChain {
    const key = keyOf(call.sessionID, file.path)
    const last = this.#chains.get(key)
    const isNext = last !== undefined && !last.isSeen && last.text === before
    let chain = last
    if (chain && isNext && file.replaces !== null) chain.add({ callID: call.callID, file, applied })
    else {
      chain = new CallChain({ callID: call.callID, file, applied })
      const isWhole = applied.ranges.some(({ start, end }) => start === 0 && end === applied.raw.length)
      // What a note of this message told is not told again: the chain does not know it.
      chain.isBroken = last !== undefined && !last.isSeen && !isWhole && this.#clearNotes(last, file.path)
      if (last) last.isOver = true
      this.#calls.set(chain, [])
    }
    call.chains.set(file.path, chain)
    this.#calls.get(chain)!.push(call)
    this.#chains.set(key, chain)
    return chain
  }

  /**
   * Takes over what a formatter made of a file; where the chain does not have the text before, it is broken. A chain that
   * another has followed stays as it is: the formatting is told by the calls of that one, which know the whole text.
   */
  format(chain: CallChain, before: string, after: string): void {
    if (chain.isOver || chain.text === after) return
    chain.isBroken ||= chain.text !== before
    chain.format(after, realign(chain.text, after))
  }

  /**
   * Has the calls of a chain say what holds now: their arguments are corrected, and what no argument says is told by a
   * note, in the result of the last one or of the call that is given.
   */
  publish(chain: CallChain, path: string, teller?: AppliedCall): void {
    const calls = this.#calls.get(chain) ?? []
    const last = teller ?? calls.at(-1)
    const note = chain.isFormatted || chain.isBroken ? this.#noteOf(chain, path) : ''
    for (const call of new Set([...calls, ...(last ? [last] : [])])) {
      call.notes.set(path, call === last ? note : '')
      this.#correct(call)
    }
  }

  /** The host takes the result of a call: what it is to tell from here on is a correction. */
  settle(call: AppliedCall): void {
    this.#correct(call)
    call.output = null
  }

  /** Whether a call is to say something else than was sent. */
  isCorrected({ callID, chains }: AppliedCall): boolean {
    return [...chains.values()].some((chain) => chain.textsOf(callID) !== null)
  }

  #nameOf(path: string): string {
    return relative(this.#directory, path)
  }

  #noteOf(chain: CallChain, path: string): string {
    return noteOf(this.#nameOf(path), chain.believed(), chain.text, chain.lostLines())
  }

  /** Takes a file's notes from the calls of a chain; whether there were any. */
  #clearNotes(chain: CallChain, path: string): boolean {
    const telling = this.#calls.get(chain)!.filter(({ notes }) => (notes.get(path) ?? '') !== '')
    for (const call of telling) {
      call.notes.delete(path)
      this.#correct(call)
    }
    return telling.length > 0
  }

  #correct(call: AppliedCall): void {
    const { callID, sessionID, said, known, output } = call
    const texts = new Map(
      [...call.chains].flatMap(([path, chain]) => {
        const now = chain.textsOf(callID)
        return now ? [[path, now] as const] : []
      }),
    )
    const corrected = call.call.correct(texts)
    const now: Record<string, unknown> = {
      ...said,
      ...(corrected ? { [corrected.argument]: corrected.value } : {}),
    }
    const names = [...new Set([...known, now].flatMap((one) => Object.keys(one)))]
      .filter((name) => known.some((one) => one[name] !== now[name]))
    const note = noteIn(call)
    if (output) output.output = call.words + note
    const noteChange = output || call.knownNotes.every((one) => one === note)
      ? null
      : { known: [...call.knownNotes], now: note }
    call.knownNotes.push(note)
    if (names.length === 0 && !noteChange) return
    const args = Object.fromEntries(names.map((name) => [name, String(now[name])]))
    this.#corrections.set(callID, { sessionID, known: [...known], args, note: noteChange })
    known.push(now)
    const past = this.#shown.callsOf(sessionID).findLast((one) => one.callID === callID)
    if (past) this.#shown.correct(sessionID, past, now)
  }
}
