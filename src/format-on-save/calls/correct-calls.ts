/** Computes the arguments with which the calls of a model produce the formatted file. */
import { setImmediate } from 'node:timers/promises'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import { type Change, writesWholeFile } from '../../steps/edits.ts'
import { isReformatted, onlyIndexOf } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { type DoneCall, isWrite } from './known-files.ts'

/** The formatted text of a file before a call and after it, without the changes of later calls. */
export type Stage = { before: string; after: string }

/** The new texts of the changes that calls made, and the stages of the calls whose stage is sure. */
type Corrections = { texts: Map<DoneCall, ChangeTexts>; stages: Map<DoneCall, Stage> }

/** The calls after the correction, and the text that they make of the file (`produced`), null if that is not sure. */
export type Corrected = Corrections & { calls: Array<DoneCall>; produced: string | null }

/** Returns calls without corrections. */
export const uncorrected = (calls: Array<DoneCall>, produced: string | null): Corrected => ({
  calls,
  produced,
  texts: new Map(),
  stages: new Map(),
})

/**
 * Corrects calls on a file so that together they produce the formatted file, as far as their arguments can hold it:
 * finds new texts, from the last call to the first, then applies the calls with these texts to see whether each still
 * applies.
 *
 * @param isForeign whether somebody other than the formatter may have changed the file
 */
export const correctCalls = async (
  calls: Array<DoneCall>,
  formatted: string,
  directory: string,
  isForeign: boolean,
): Promise<Corrected> => applyAll(calls, await findCorrections(calls, formatted, isForeign), directory)

// Corrections block the host's only thread. For longer texts, `findCorrections` therefore yields between calls, and
// `isOwn` compares nothing.
const LARGE_LENGTH = 100_000

/**
 * Finds new texts for calls, from the last call to the first: finds the call's changes in the formatted file, takes the
 * texts there, then restores what the call replaced, which gives the formatted file before that call.
 *
 * | call | formatted file after it | new text | formatted file before it |
 * | --- | --- | --- | --- |
 * | 2. edit: `b=2` to `b=3` | `a = 1\nb = 3` | `b = 3` | `a = 1\nb=2` |
 * | 1. write: `a=1\nb=2` | `a = 1\nb=2` | `a = 1\nb=2` | empty |
 *
 * In the corrected write, the edit still finds its `oldString`, `b=2`.
 */
const findCorrections = async (
  calls: Array<DoneCall>,
  formatted: string,
  isForeign: boolean,
): Promise<Corrections> => {
  const corrections: Corrections = { texts: new Map(), stages: new Map() }
  const writes = calls.filter(isWrite)
  // The formatted file after the call.
  let after = formatted
  // Whether `after` is exact, because all changes of the later calls were found.
  let isExact = true
  for (const call of writes.toReversed()) {
    const { raw, changes } = call.applied
    // If the formatter changed nothing, this call and the earlier ones need no correction.
    if (raw === after) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const places = findPlaces(call, after, isExact && !isForeign)
    corrections.texts.set(call, newTextsOf(changes, places, after))
    const undone = undo(after, places)
    const isUndoneExact: boolean = isExact && changes.length > 0 && places.every((place) => place !== null)
    // The text before the first call is known.
    const before = call === writes[0] ? call.before : undone
    if (isExact && (isUndoneExact || call === writes[0])) corrections.stages.set(call, { before, after })
    after = undone
    isExact = isUndoneExact
  }
  return corrections
}

/** A change that was found in the formatted file, with its range there; null if it was not found. */
type Place = Change | null

/**
 * Finds the changes of a call in the formatted file.
 *
 * @param isSure whether `after` is exact, and only the formatter can have changed it; if not, a change counts as found
 * only if the text there is the call's own
 */
const findPlaces = (
  { applied: { raw, changes } }: DoneCall,
  after: string,
  isSure: boolean,
): Array<Place> => {
  const toFormatted = realign(raw, after)
  return changes.map((change) => {
    const place = findPlace(change, raw, after, toFormatted)
    return place && (isSure || isOwn(change, raw, place, after)) ? place : null
  })
}

const findPlace = (change: Change, raw: string, after: string, toFormatted: Realign): Place => {
  const { range } = change
  const mapped = toFormatted(range)
  const found = mapped && change.kind === 'lines' ? wholeLines(after, mapped) : mapped
  if (!found) return null
  // A deletion counts as found only if the characters on both sides of it are the same as in `raw`.
  const isSameAt = (offset: number) => raw[range.from + offset] === after[found.from + offset]
  const isDeletion = range.from === range.to
  return isDeletion && !(isSameAt(-1) && isSameAt(0)) ? null : { ...change, range: found }
}

/** Widens a range to whole lines, without the line feed after the last one; null if other text is on these lines. */
const wholeLines = (text: string, { from: start, to: end }: Span): Span | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const otherText = text.slice(from, start) + text.slice(end, to)
  // The range may include the last line feed of the text.
  const endsWithLastFeed = to === text.length && to > from && text.endsWith('\n')
  return otherText.trim() === '' ? { from, to: endsWithLastFeed ? to - 1 : to } : null
}

/** Whether the text at a place is only the call's own text, reformatted; false if it is long. */
const isOwn = ({ range: sent }: Change, raw: string, { range: found }: Change, after: string): boolean =>
  Math.max(sent.to - sent.from, found.to - found.from) <= LARGE_LENGTH
  && isReformatted(raw.slice(sent.from, sent.to), after.slice(found.from, found.to))

/**
 * Returns the formatted texts of a call's changes; null for a change that was not found, and for all changes if the
 * call's arguments cannot hold the texts.
 */
const newTextsOf = (changes: Array<Change>, places: Array<Place>, after: string): ChangeTexts => {
  const texts = places.map((place) => place && after.slice(place.range.from, place.range.to))
  if (changes[0]?.kind !== 'text') return texts
  // All changes of an `edit`, which are of kind `text`, get the same `newString`, which must differ from `oldString`.
  const [newString = null] = texts
  const isOneText = newString !== null && new Set(texts).size === 1
  const fitsEdit = isOneText && crlfToLf(newString) !== crlfToLf(changes[0].old)
  return fitsEdit ? texts : texts.map(() => null)
}

/** Restores what changes replaced, from the last place to the first; skips a place that overlaps a later one. */
const undo = (text: string, places: Array<Place>): string => {
  const found = places.filter((place) => place !== null)
  const lastFirst = found.toSorted((one, other) => other.range.from - one.range.from)
  let undone = text
  let undoneFrom = text.length
  for (const { range, old } of lastFirst) {
    if (range.to > undoneFrom) continue
    undone = undone.slice(0, range.from) + old + undone.slice(range.to)
    undoneFrom = range.from
  }
  return undone
}

/**
 * Applies calls in order with their new texts. If one no longer applies, drops the correction of the last corrected
 * call before it and restarts; if there is none, returns all calls without corrections.
 */
const applyAll = (calls: Array<DoneCall>, { texts, stages }: Corrections, directory: string): Corrected => {
  const correctedCalls: Array<DoneCall> = []
  let produced = calls[0]?.before ?? ''
  for (const [index, call] of calls.entries()) {
    const correctedCall = applyCorrected(call, texts.get(call), produced, directory)
    if (!correctedCall) {
      const dropped = calls.slice(0, index).findLast((earlier) => texts.has(earlier))
      if (!dropped) return { ...uncorrected(calls, calls.at(-1)!.applied.raw), stages }
      const remaining = new Map([...texts].filter(([corrected]) => corrected !== dropped))
      return applyAll(calls, { texts: remaining, stages }, directory)
    }
    correctedCalls.push(correctedCall)
    produced = correctedCall.applied.raw
  }
  return { calls: correctedCalls, texts, stages, produced }
}

/** Applies a call with its new texts; null unless it replaces the same texts as before, each as unique as before. */
const applyCorrected = (
  call: DoneCall,
  texts: ChangeTexts | undefined,
  before: string,
  directory: string,
): DoneCall | null => {
  const args = { ...call.args, ...(texts && call.withTexts(texts)) }
  const file = fileOf({ ...call, args }, directory)
  const applied = file?.apply(before)
  if (applied?.changes.length !== call.applied.changes.length) return null
  const isUnique = (text: string, old: string) => onlyIndexOf(text, old) >= 0
  const replacesSame = writesWholeFile(applied) || applied.changes.every(({ old }, index) => {
    const isSameText = old === call.applied.changes[index]!.old
    return isSameText && isUnique(before, old) === isUnique(call.before, old)
  })
  return replacesSame ? { ...call, ...file, args, before, applied } : null
}
