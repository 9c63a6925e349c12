import type { History } from '../../host/message-parts.ts'
import type { FormatMark } from '../../host/panel-schema.ts'
import { readSaved } from '../run/saved-file.ts'
import { readCall, type Texts } from './call.ts'
import { correctCalls, type Stage } from './correct-calls.ts'
import { carryDiagnostics } from './diagnostics.ts'
import { type DonePart, lastPartOf, partOf } from './history.ts'
import type { DoneCall, Formatting, KnownFile } from './known-files.ts'
import { failureNote, goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { agree, type FormattedFile, markFormatted } from './result.ts'
import { lostLines } from './words.ts'

/** How the part of a call changes. */
type PartChange = {
  part: DonePart
  input: Record<string, unknown>
  notes: Array<string>
  formatted: Array<FormattedFile>
  failed: FormatMark['failed']
}

/** What the model is shown of a file's formatting: the texts of its calls, and notes. */
type Shown = {
  text: string
  texts: Map<DoneCall, Texts>
  stages: Map<DoneCall, Stage>
  notes: Array<string>
}

/** Lists the lines of a call that the formatter dropped words from. */
const linesLostFrom = ({ applied: { raw, changes } }: DoneCall, texts: Texts, text: string): Array<string> =>
  texts.flatMap((now, index) => {
    const { start, end } = changes[index]!.range
    return now === null ? [] : lostLines(raw.slice(start, end), now, { raw, text })
  })

/** Applies calls on a file to what the model believed before them; null where the result is not sure. */
const applyTo = (old: string | null, calls: Array<DoneCall>, directory: string): string | null =>
  calls.reduce((text, { tool, args, path }) => {
    const file = readCall(tool, args, directory)?.files.find((one) => one.path === path)
    return text === null ? null : file?.apply(text)?.raw ?? null
  }, old)

/** Compares what the model believes of a file with what it says; notes that the model then knows it. */
const show = async ({ directory, formatter }: Formatting, file: KnownFile): Promise<Shown> => {
  const { path, believed, outdated, calls, state, failure } = file
  const name = nameInNote(directory, path)
  const text = (await readSaved(path))?.text ?? ''
  const checked = calls.at(-1)?.checked ?? file.text
  const isForeign = state === 'changed' || failure !== null || checked !== file.text
  const notes = failure && !failure.isMissing ? [failureNote(name, failure)] : []
  Object.assign(file, { believed: text, outdated: undefined, text, calls: [], failure: null, state: 'known' })
  const shown: Shown = { text, texts: new Map(), stages: new Map(), notes }
  if (believed === text && outdated === undefined) return shown
  if (text.trim() === '' && believed?.trim() !== '') {
    // A formatter that leaves nothing has failed, or was the host's: else the model or a person removed the file.
    const isDamaged = state === 'changed' || failure !== null || checked.trim() === ''
    if (isDamaged) notes.push(goneNote(name, believed !== null))
    return shown
  }
  const isOpen = believed !== null && calls.length > 0 && formatter.whenOf(path) !== 'turn'
  const corrected = isOpen
    ? await correctCalls(calls, text, directory, isForeign)
    : { ...shown, calls, believed }
  const seen = outdated === undefined ? corrected.believed : applyTo(outdated, corrected.calls, directory)
  const told = noteOf(name, seen, text, state === 'formatted' && !isForeign)
  file.believed = told.believed
  const lost = [...corrected.texts].flatMap(([call, now]) => linesLostFrom(call, now, text))
  notes.push(...[told.note, lostNote(name, lost)].filter(Boolean))
  const { texts, stages } = corrected
  return { ...shown, texts, stages }
}

/** Changes the part of a call in the request and in the store. */
const apply = async (
  { store, formatter: { mended } }: Formatting,
  { part, input, notes, formatted, failed }: PartChange,
): Promise<void> => {
  const { state } = part
  const corrected = Object.keys(input).some((name) => input[name] !== state.input[name])
  const isMarked = corrected || formatted.length + failed.length + mended.size > 0
  if (!isMarked && notes.length === 0) return
  const metadata = structuredClone(state.metadata)
  agree(metadata, formatted)
  if (isMarked) {
    markFormatted(metadata, {
      formatted: formatted.map(({ path }) => path),
      corrected,
      ...(failed.length > 0 && { failed }),
      ...(mended.size > 0 && { mended: [...mended] }),
    })
    mended.clear()
  }
  const output = [carryDiagnostics(state.output, formatted), ...notes].join('\n\n')
  await store.replace(part, { ...state, input, output, metadata })
}

/** Makes the notes at the start of a turn, on the files that were formatted after the last one. */
export const notesAtTurnStart = async (place: Formatting, sessionID: string): Promise<string> => {
  const notes: Array<string> = []
  for (const file of place.known.inState(sessionID, 'formatted', 'changed')) {
    if (place.formatter.whenOf(file.path) === 'turn') notes.push(...(await show(place, file)).notes)
  }
  return notes.join('\n\n')
}

/** Corrects the calls in a request's messages and in the store, and adds notes to their results. */
export const showInHistory = async (
  place: Formatting,
  sessionID: string,
  messages: History,
): Promise<void> => {
  const { directory, known, formatter: { mended } } = place
  const changes = new Map<string, PartChange>()
  const changeOf = (part: DonePart | null): PartChange | null => {
    if (!part) return null
    const { input } = part.state
    const change = changes.get(part.id) ?? { part, input: { ...input }, notes: [], formatted: [], failed: [] }
    changes.set(part.id, change)
    return change
  }
  const files = known.inState(sessionID, 'formatted', 'changed')
  const partOfWriter = (file: KnownFile) => {
    const writer = file.calls.at(-1)
    return writer ? partOf(messages, writer) : null
  }
  const last = files.map(partOfWriter).findLast((part) => part !== null) ?? lastPartOf(messages)
  for (const file of files) {
    const { failure, calls: written } = file
    const own = changeOf(partOfWriter(file) ?? last)
    const { text, texts, stages, notes } = await show(place, file)
    own?.notes.push(...notes)
    if (failure) own?.failed.push({ command: failure.command, why: failure.status })
    for (const [call, now] of texts) {
      const input = changeOf(partOf(messages, call))?.input
      if (input) Object.assign(input, readCall(call.tool, input, directory)?.withTexts(call.path, now))
    }
    const isFormatted = written.length > 0 && written.at(-1)!.applied.raw !== text
    for (const call of isFormatted ? written : []) {
      if (call.tool === 'read') continue
      const whole = written.length === 1 ? { before: call.before, after: text } : null
      const stage = stages.get(call) ?? whole
      changeOf(partOf(messages, call))?.formatted.push({ ...call, text, stage })
    }
  }
  if (mended.size > 0) changeOf(last)
  for (const change of changes.values()) await apply(place, change)
}
