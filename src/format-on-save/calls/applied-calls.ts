import { setImmediate } from 'node:timers/promises'
import type { Place } from '../../paths/boundary.ts'
import { LruMap } from '../../text/lru-map.ts'
import { realign } from '../realign/realign.ts'
import { CallChain } from './call-chain.ts'
import type { Call, ChangedFile } from './call.ts'
import { carryDiagnostics } from './diagnostics.ts'
import type { Applied } from './edits.ts'
import type { FilesInContext } from './files-in-context.ts'
import type { Corrections } from './history-corrections.ts'
import { nameInNote, noteOf } from './note.ts'
import { agree, markFormatted, type ToolOutput } from './result.ts'

/** A call that has changed its files, and what is known of it until the model is asked again. */
export type AppliedCall = {
  callID: string
  sessionID: string
  call: Call
  /** The call read from the arguments that the model sent; those of `call` may have been changed before it ran. */
  asSent: Call
  /** The arguments that the history is to show unless a formatter changes them; and all that it may show now. */
  said: Record<string, unknown>
  known: Array<Record<string, unknown>>
  /** Its result, null once the host has taken it; and the words of that result without a note. */
  output: ToolOutput | null
  words: string
  /** Its notes by file; and all notes that its stored result may end with. */
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

/** A file that was formatted after a call: `checked` is the text that the host's language servers saw. */
export type FormattedFile = { path: string; from: string; checked: string; text: string }

export type AppliedCallsPlace = { place: Place; corrections: Corrections; shown: FilesInContext }

// Of this many files, each with its session, the newest chains are kept.
const MAX_CHAINS = 64

const keyOf = (sessionID: string, path: string): string => `${sessionID} ${path}`

const noteIn = ({ notes }: AppliedCall): string =>
  [...notes.values()].filter((note) => note !== '').map((note) => `\n\n${note}`).join('')

/** Keeps the calls that changed files, in chains by session and file, and corrects what the history shows of them. */
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

  /** Ends the chains of a session whose model is asked: it sees what its calls say now. */
  modelAsked(sessionID: string): void {
    for (const key of this.#keysOf(sessionID)) this.#chains.get(key)!.isSeen = true
  }

  /** Forgets a session that was deleted. */
  forget(sessionID: string): void {
    for (const key of this.#keysOf(sessionID)) this.#chains.delete(key)
  }

  #keysOf(sessionID: string): Array<string> {
    return [...this.#chains.keys()].filter((key) => key.startsWith(keyOf(sessionID, '')))
  }

  /** Adds a call that changed a file which said `before`, to the file's chain or as the first of a new one. */
  add(call: AppliedCall, file: ChangedFile, before: string | null, applied: Applied): CallChain {
    const key = keyOf(call.sessionID, file.path)
    const last = this.#chains.get(key)
    const isNext = last !== undefined && !last.isSeen && last.text === before
    let chain = last
    if (chain && isNext && file.replaces !== null) chain.add({ callID: call.callID, file, applied })
    else {
      chain = new CallChain({ callID: call.callID, file, applied })
      const isWhole = applied.ranges.some(({ start, end }) => start === 0 && end === applied.raw.length)
      // The new chain does not know the lines that an earlier note of this message told: it tells to read the file again.
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
   * Takes over what a formatter made of a file. A chain that does not have the text before the formatting is broken. One
   * that another chain has followed stays as it is: the later one knows the whole text and tells of the formatting.
   */
  format(chain: CallChain, before: string, after: string): void {
    if (chain.isOver || chain.text === after) return
    chain.isBroken ||= chain.text !== before
    chain.format(after, realign(chain.text, after))
  }

  /**
   * Corrects the arguments of a chain's calls to what holds now, and tells what no argument can say by a note in the
   * result of the last call.
   */
  publish(chain: CallChain, path: string): void {
    const calls = this.#calls.get(chain) ?? []
    const note = chain.isFormatted || chain.isBroken ? this.#noteOf(chain, path) : ''
    for (const call of calls) {
      call.notes.set(path, call === calls.at(-1) ? note : '')
      this.#correct(call)
    }
  }

  /**
   * Makes a call's result agree with its files: first the errors of language servers, then the notes, then the person's
   * diff. From here on a note is stored as a correction, since the host takes the result.
   */
  async settle(
    call: AppliedCall,
    output: ToolOutput,
    formatted: Array<FormattedFile & { before: string }>,
  ): Promise<void> {
    output.output = call.words
    carryDiagnostics(
      output,
      formatted.map(({ path, checked, text }) => ({ path, before: checked, after: text })),
    )
    call.words = output.output
    this.#correct(call)
    call.output = null
    if (formatted.length === 0) return
    await setImmediate()
    await agree(output, formatted)
    markFormatted(output, formatted.map(({ path }) => path), this.#isCorrected(call))
  }

  /** Whether a call's arguments are shown otherwise than they were sent. */
  #isCorrected({ callID, chains }: AppliedCall): boolean {
    return [...chains.values()].some((chain) => chain.textsOf(callID) !== null)
  }

  #noteOf(chain: CallChain, path: string): string {
    return noteOf(nameInNote(this.#directory, path), chain.believed(), chain.text, chain.lostLines())
  }

  /** Removes a file's notes from the results of a chain's calls; says whether there were any. */
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
