import type { FormatFiles } from '../run/format-files.ts'
import { readSaved } from '../run/saved-file.ts'
import { readCall, type Texts } from './call.ts'
import { correctCalls, type Corrected, type DoneCall } from './correct-calls.ts'
import { carryDiagnostics } from './diagnostics.ts'
import { type DonePart, type History, lastPartOf, type Messages, partOf } from './history.ts'
import type { KnownFile } from './known-files.ts'
import { failureNote, lostNote, nameInNote, noteOf } from './note.ts'
import { agree, type FormatMark, markFormatted } from './result.ts'
import { lostLines } from './words.ts'
import type { WritingCalls } from './writing-calls.ts'

export type ShowFormattingPlace = {
  directory: string
  formatter: FormatFiles
  history: History
  writing: WritingCalls
}

/** A file as a call left it, for the person's diff and the errors of language servers. */
type FormattedFile = { path: string; from: string; before: string; checked: string; text: string }

/** How the part of a call changes. */
type PartChange = {
  part: DonePart
  texts: Map<string, Texts>
  notes: Array<string>
  formatted: Array<FormattedFile>
  failed: NonNullable<FormatMark['failed']>
}

/** What the model has to see of a file's formatting. */
type Shown = { text: string; corrected: Corrected | null; notes: Array<string> }

// Each call holds its file's text: on a longer file, calls are dropped once the model knows the formatting.
const MAX_KEPT = 200_000

/** Makes a session's history agree with its formatted files. */
export class ShowFormatting {
  readonly #place: ShowFormattingPlace

  constructor(place: ShowFormattingPlace) {
    this.#place = place
  }

  #waiting(sessionID: string): Array<KnownFile> {
    return [...this.#place.writing.known.of(sessionID).values()].filter(({ state }) =>
      state === 'formatted' || state === 'changed'
    )
  }

  #isTurn({ path }: KnownFile): boolean {
    return this.#place.formatter.whenOf(path) === 'turn'
  }

  /** Makes the notes at the start of a turn, on the files that were formatted after the last one. */
  async atTurnStart(sessionID: string): Promise<string> {
    const notes: Array<string> = []
    for (const file of this.#waiting(sessionID).filter((one) => this.#isTurn(one))) {
      const shown = await this.#compare(file)
      notes.push(...shown.notes)
      this.#settle(file, shown)
    }
    return notes.join('\n\n')
  }

  /** Corrects the calls in a request's messages and in the store, and adds notes to their results. */
  async inHistory(sessionID: string, messages: Messages): Promise<void> {
    const changes = new Map<string, PartChange>()
    const changeOf = (part: DonePart | null): PartChange | null => {
      if (!part) return null
      const change = changes.get(part.id) ?? { part, texts: new Map(), notes: [], formatted: [], failed: [] }
      changes.set(part.id, change)
      return change
    }
    const waiting = this.#waiting(sessionID)
    const lastWriter = waiting.findLast(({ writer }) => writer !== null)?.writer
    const fallback = (lastWriter ? partOf(messages, lastWriter) : null) ?? lastPartOf(messages)
    for (const file of waiting) {
      const shown = await this.#compare(file)
      const own = file.writer ? partOf(messages, file.writer) : null
      if (shown.notes.length > 0) changeOf(own ?? fallback)?.notes.push(...shown.notes)
      for (const [call, texts] of shown.corrected?.texts ?? []) {
        changeOf(partOf(messages, call))?.texts.set(file.path, texts)
      }
      if (shown.text !== file.text || file.writer?.applied.raw !== shown.text) {
        for (const call of file.calls.filter(({ isSettled }) => !isSettled)) {
          const { file: { path, from }, before, checked } = call
          changeOf(partOf(messages, call))?.formatted.push({ path, from, before, checked, text: shown.text })
        }
      }
      this.#markFailure(file, changeOf(own))
      this.#settle(file, shown)
    }
    if (this.#place.writing.mended.size > 0) changeOf(fallback)
    for (const change of changes.values()) await this.#apply(messages, change)
  }

  /** Compares what the model believes of a file with what it says. */
  async #compare(file: KnownFile): Promise<Shown> {
    const { directory, writing } = this.#place
    const { believed, state } = file
    // Earlier messages stay as they are in the provider's cache, unless another step or session changed the file.
    const calls = file.calls.filter(({ isSettled }) => state === 'changed' || !isSettled)
    const name = nameInNote(directory, file.path)
    const saved = await readSaved(file.path)
    const text = saved?.text ?? ''
    const failure = writing.failures.get(file)
    const failed = failure && !failure.isMissing
      ? [failureNote(name, failure.command, failure.status, failure.output)]
      : []
    if (saved === null && believed === null) {
      return {
        text,
        corrected: null,
        notes: [`${name} may have been formatted; read it again before you edit its other lines.`],
      }
    }
    if (believed === text) return { text, corrected: null, notes: failed }
    if (text.trim() === '' && (believed ?? '').trim() !== '') {
      const note = `${name} was emptied, removed or made unreadable by the formatter.`
      return { text, corrected: null, notes: [...failed, note] }
    }
    const mayCorrect = believed !== null && calls.length > 0 && !this.#isTurn(file)
    const corrected = mayCorrect
      ? await correctCalls(calls, text, directory, state === 'changed' || failure !== undefined)
      : null
    const lost = [...corrected?.texts ?? []].map(([call, texts]) =>
      lostNote(name, this.#lostLines(call, texts, text))
    )
    const note = noteOf(name, corrected ? corrected.believed : believed, text)
    return { text, corrected, notes: [...failed, note, ...lost].filter((one) => one !== '') }
  }

  #lostLines({ applied: { raw, changes } }: DoneCall, texts: Texts, text: string): Array<string> {
    return texts.flatMap((now, index) => {
      const { start, end } = changes[index]!.range
      return now === null ? [] : lostLines(raw.slice(start, end), now, { raw, text })
    })
  }

  /** Notes that the model now knows a file. */
  #settle(file: KnownFile, { text, corrected, notes }: Shown): void {
    const believed = corrected ? corrected.believed : file.believed
    const isKnown = believed === text || (notes.length === 0 && believed !== null)
    const calls = corrected
      ? [...file.calls.slice(0, -corrected.calls.length || undefined), ...corrected.calls]
      : file.calls
    const isKept = isKnown && !this.#isTurn(file) && text.length <= MAX_KEPT
    file.calls = isKept ? calls.map((call) => ({ ...call, checked: '', isSettled: true })) : []
    file.believed = isKnown && believed !== text ? believed : text
    file.text = text
    file.writer = null
    file.state = 'known'
    this.#place.writing.failures.delete(file)
  }

  #markFailure(file: KnownFile, change: PartChange | null): void {
    const failure = this.#place.writing.failures.get(file)
    if (failure) change?.failed.push({ command: failure.command, why: failure.status })
  }

  async #apply(messages: Messages, { part, texts, notes, formatted, failed }: PartChange): Promise<void> {
    const { directory, history, writing } = this.#place
    const { tool, state } = part
    const mended = [...writing.mended]
    const corrections = texts.size > 0 ? readCall(tool, state.input, directory)?.withTexts(texts) ?? {} : {}
    const output = {
      title: state.title,
      output: state.output,
      metadata: structuredClone(state.metadata) as unknown,
    }
    carryDiagnostics(
      output,
      formatted.map(({ path, checked, text }) => ({ path, before: checked, after: text })),
    )
    await agree(output, formatted)
    const notices = [...new Set(notes)].map((note) => `\n\n${note}`).join('')
    const corrected = Object.keys(corrections).length > 0
    const isMarked = corrected || formatted.length + failed.length + mended.length > 0
    if (isMarked) {
      writing.mended.clear()
      markFormatted(output, {
        formatted: formatted.map(({ path }) => path),
        corrected,
        ...(failed.length > 0 ? { failed } : {}),
        ...(mended.length > 0 ? { mended } : {}),
      })
    }
    if (!isMarked && notices === '') return
    await history.replace(messages, {
      ...part,
      state: {
        ...state,
        input: { ...state.input, ...corrections },
        title: output.title,
        output: output.output + notices,
        metadata: output.metadata as Record<string, unknown>,
      },
    })
  }
}
