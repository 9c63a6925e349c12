import type { FormatFiles } from '../run/format-files.ts'
import { readSaved } from '../run/saved-file.ts'
import { readCall, type Texts } from './call.ts'
import { correctCalls } from './correct-calls.ts'
import { carryDiagnostics } from './diagnostics.ts'
import { type DonePart, type History, lastPartOf, type Messages, partOf } from './history.ts'
import type { DoneCall, KnownFile, KnownFiles } from './known-files.ts'
import { failureNote, goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { agree, type FormatMark, type FormattedFile, markFormatted } from './result.ts'
import { lostLines } from './words.ts'

export type ShowFormattingPlace = {
  directory: string
  formatter: FormatFiles
  history: History
  known: KnownFiles
  /** The commands that failed when they ran last but one, until the person was shown it. */
  mended: Set<string>
}

/** How the part of a call changes. */
type PartChange = {
  part: DonePart
  texts: Map<string, Texts>
  notes: Array<string>
  formatted: Array<FormattedFile>
  failed: NonNullable<FormatMark['failed']>
}

/** What the model is shown of a file's formatting, and what it then believes; `calls` make that of what it read. */
type Shown = {
  text: string
  believed: string
  calls: Array<DoneCall>
  texts: Map<DoneCall, Texts>
  notes: Array<string>
}

// Each call holds its file's text: on a longer file, calls are dropped once the model knows the formatting.
const MAX_KEPT = 200_000

/** Lists the lines of a call that the formatter dropped words from. */
const linesLostFrom = ({ applied: { raw, changes } }: DoneCall, texts: Texts, text: string): Array<string> =>
  texts.flatMap((now, index) => {
    const { start, end } = changes[index]!.range
    return now === null ? [] : lostLines(raw.slice(start, end), now, { raw, text })
  })

/** Makes a session's history agree with its formatted files. */
export class ShowFormatting {
  readonly #place: ShowFormattingPlace

  constructor(place: ShowFormattingPlace) {
    this.#place = place
  }

  #isTurn({ path }: KnownFile): boolean {
    return this.#place.formatter.whenOf(path) === 'turn'
  }

  /** Makes the notes at the start of a turn, on the files that were formatted after the last one. */
  async atTurnStart(sessionID: string): Promise<string> {
    const notes: Array<string> = []
    for (const file of this.#place.known.inState(sessionID, 'formatted', 'changed')) {
      if (this.#isTurn(file)) notes.push(...(await this.#settle(file)).notes)
    }
    return notes.join('\n\n')
  }

  /** Corrects the calls in a request's messages and in the store, and adds notes to their results. */
  async inHistory(sessionID: string, messages: Messages): Promise<void> {
    const { known, mended } = this.#place
    const changes = new Map<string, PartChange>()
    const changeOf = (part: DonePart | null): PartChange | null => {
      if (!part) return null
      const change = changes.get(part.id) ?? { part, texts: new Map(), notes: [], formatted: [], failed: [] }
      changes.set(part.id, change)
      return change
    }
    const files = known.inState(sessionID, 'formatted', 'changed')
    const partOfWriter = ({ writer }: KnownFile) => writer && partOf(messages, writer)
    const last = files.map(partOfWriter).findLast((part) => part !== null) ?? lastPartOf(messages)
    for (const file of files) {
      const { path, writer, failure, calls } = file
      const own = changeOf(partOfWriter(file) ?? last)
      const { text, texts, notes } = await this.#settle(file)
      own?.notes.push(...notes)
      if (failure) own?.failed.push({ command: failure.command, why: failure.status })
      for (const [call, now] of texts) changeOf(partOf(messages, call))?.texts.set(path, now)
      for (const call of writer && writer.applied.raw !== text ? calls : []) {
        const { file: { from }, before, checked, isSettled } = call
        if (!isSettled) {
          changeOf(partOf(messages, call))?.formatted.push({ path, from, before, checked, text })
        }
      }
    }
    if (mended.size > 0) changeOf(last)
    for (const change of changes.values()) await this.#apply(messages, change)
  }

  /** Compares what the model believes of a file with what it says, and notes that the model now knows it. */
  async #settle(file: KnownFile): Promise<Shown> {
    const shown = await this.#compare(file)
    const { text, believed, calls } = shown
    file.calls = text.length > MAX_KEPT
      ? []
      : calls.map((call) => ({ ...call, checked: '', isSettled: true }))
    Object.assign(file, { text, believed, writer: null, failure: null, state: 'known' })
    return shown
  }

  async #compare(file: KnownFile): Promise<Shown> {
    const { directory } = this.#place
    const { path, believed, state, failure, calls: all } = file
    const name = nameInNote(directory, path)
    const saved = await readSaved(path)
    const text = saved?.text ?? ''
    const notes = failure && !failure.isMissing ? [failureNote(name, failure)] : []
    if (believed === text) return { text, believed, calls: all, texts: new Map(), notes }
    const told = { text, believed: text, calls: [], texts: new Map() }
    if (text.trim() === '' && believed?.trim() !== '') {
      return { ...told, notes: [...notes, goneNote(name, believed !== null || saved !== null)] }
    }
    // Earlier messages stay as they are in the provider's cache, unless another step or session changed the file.
    const open = all.filter(({ isSettled }) => state === 'changed' || !isSettled)
    const isForeign = state === 'changed' || failure !== null
    const corrected = believed === null || open.length === 0 || this.#isTurn(file)
      ? { calls: open, texts: new Map(), believed }
      : await correctCalls(open, text, directory, isForeign)
    const note = noteOf(name, corrected.believed, text)
    const lost = [...corrected.texts].flatMap(([call, texts]) => linesLostFrom(call, texts, text))
    const shown = {
      ...told,
      texts: corrected.texts,
      notes: [...notes, note, lostNote(name, lost)].filter(Boolean),
    }
    if (corrected.believed === null || note !== '') return shown
    const calls = [...all.filter((call) => !open.includes(call)), ...corrected.calls]
    return { ...shown, believed: corrected.believed, calls }
  }

  async #apply(messages: Messages, { part, texts, notes, formatted, failed }: PartChange): Promise<void> {
    const { directory, history, mended } = this.#place
    const { tool, state } = part
    const corrections = texts.size > 0 ? readCall(tool, state.input, directory)?.withTexts(texts) ?? {} : {}
    const output = { output: state.output, metadata: structuredClone(state.metadata) }
    carryDiagnostics(output, formatted)
    await agree(output.metadata, formatted)
    const corrected = Object.keys(corrections).length > 0
    const isMarked = corrected || formatted.length + failed.length + mended.size > 0
    if (!isMarked && notes.length === 0) return
    if (isMarked) {
      markFormatted(output.metadata, {
        formatted: formatted.map(({ path }) => path),
        corrected,
        failed: failed.length > 0 ? failed : undefined,
        mended: mended.size > 0 ? [...mended] : undefined,
      })
      mended.clear()
    }
    const input = { ...state.input, ...corrections }
    const now = { ...state, ...output, input, output: [output.output, ...notes].join('\n\n') }
    await history.replace(messages, { ...part, state: now })
  }
}
