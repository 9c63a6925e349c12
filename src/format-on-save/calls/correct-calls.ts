/** Corrects the calls with which a model wrote a file: computes arguments that produce the formatted file instead. */
import { setImmediate } from 'node:timers/promises'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import { type Change, writesWholeFile } from '../../steps/edits.ts'
import { isReformatted, onlyIndexOf } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { type DoneCall, isWrite } from './known-files.ts'

/** The formatted file without the changes of later calls (`after`), and also without those of the call (`before`). */
export type Stage = { before: string; after: string }

/** By call, the new texts of its changes, and its stage if that is sure. */
type Corrections = { texts: Map<DoneCall, ChangeTexts>; stages: Map<DoneCall, Stage> }

/** The calls after the correction, and the text that they produce; null if that is not sure. */
export type Corrected = Corrections & { calls: Array<DoneCall>; produced: string | null }

/** Returns a result without corrections. */
export const uncorrected = (calls: Array<DoneCall>, produced: string | null): Corrected => ({
  calls,
  produced,
  texts: new Map(),
  stages: new Map(),
})

/**
 * Corrects calls on a file so that together they produce the formatted file, as far as their arguments can hold it:
 * finds new texts for the calls, then drops those with which a later call would no longer apply.
 *
 * @param mayBeForeign whether somebody other than the formatter may have changed the file
 */
export const correctCalls = async (
  calls: Array<DoneCall>,
  formatted: string,
  directory: string,
  mayBeForeign: boolean,
): Promise<Corrected> => applyAll(calls, await findCorrections(calls, formatted, mayBeForeign), directory)

// Corrections block the host's only thread, so for longer texts `findCorrections` yields before each call, and `isOwn`
// returns false.
const LARGE_LENGTH = 100_000

/**
 * Finds new texts for calls, from the last call to the first. For each, finds its changes in the formatted file, takes
 * the texts there, then restores what the call replaced: that is the formatted file after the call before it.
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
  mayBeForeign: boolean,
): Promise<Corrections> => {
  const corrections: Corrections = { texts: new Map(), stages: new Map() }
  const writes = calls.filter(isWrite)
  // The formatted file as the present call leaves it, without the changes of later calls.
  let after = formatted
  // Whether `after` is exact, because all changes of the later calls were found.
  let isExact = true
  for (const call of writes.toReversed()) {
    const { raw, changes } = call.applied
    // If the formatter changed nothing, this call and the earlier ones need no correction.
    if (raw === after) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const places = findPlaces(call, after, isExact && !mayBeForeign)
    corrections.texts.set(call, newTextsOf(changes, places, after))
    const undone = undo(after, places)
    const isUndoneExact: boolean = isExact && changes.length > 0 && places.every((place) => place !== null)
    // The text before the first call is known, so it need not be computed.
    const before = call === writes[0] ? call.before : undone
    if (isExact && (isUndoneExact || call === writes[0])) corrections.stages.set(call, { before, after })
    after = undone
    isExact = isUndoneExact
  }
  return corrections
}

/** A change with the range that it has in the formatted file; null if it was not found there. */
type Place = Change | null

/**
 * Finds the changes of a call in the formatted file.
 *
 * @param isSure whether `after` is exact, and only the formatter can have changed it. If not, a change counts as found
 * only if the text at its place is the call's own text, at most reformatted.
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

/** Widens a range to whole lines, without the last line feed; null if these lines contain text outside the range. */
const wholeLines = (text: string, { from: start, to: end }: Span): Span | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const otherText = text.slice(from, start) + text.slice(end, to)
  // If the range ends after the last line feed of the file, so does `to`.
  const endsWithLastFeed = to === text.length && to > from && text.endsWith('\n')
  return otherText.trim() === '' ? { from, to: endsWithLastFeed ? to - 1 : to } : null
}

/** Whether the text at a place is the call's own text, at most reformatted; false if it is too long to compare. */
const isOwn = ({ range: sent }: Change, raw: string, { range: found }: Change, after: string): boolean =>
  Math.max(sent.to - sent.from, found.to - found.from) <= LARGE_LENGTH
  && isReformatted(raw.slice(sent.from, sent.to), after.slice(found.from, found.to))

/**
 * Returns the formatted text of each change of a call, null if it was not found. Returns only nulls if the arguments
 * of the call cannot hold the texts.
 */
const newTextsOf = (changes: Array<Change>, places: Array<Place>, after: string): ChangeTexts => {
  const texts = places.map((place) => place && after.slice(place.range.from, place.range.to))
  if (changes[0]?.kind !== 'text') return texts
  // The call is an `edit`: its only `newString` must fit all changes, and must differ from `oldString`.
  const [newString = null] = texts
  const isOneText = newString !== null && new Set(texts).size === 1
  const fitsEdit = isOneText && crlfToLf(newString) !== crlfToLf(changes[0].old)
  return fitsEdit ? texts : texts.map(() => null)
}

/** Restores what the changes of a call replaced. Skips a place that overlaps a later one. */
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
 * Applies calls in order with their new texts. If a call no longer applies, drops the nearest correction before it and
 * starts again; if no corrected call is before it, returns all calls without corrections.
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

/**
 * Applies a call with its new texts. Returns null unless it replaces the same texts as the original call did; a text
 * that occurred once in the file must still occur once, and any other must not.
 */
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
  const replacesSameTexts = writesWholeFile(applied) || applied.changes.every(({ old }, index) => {
    const isSame = old === call.applied.changes[index]!.old
    return isSame && isUnique(before, old) === isUnique(call.before, old)
  })
  return replacesSameTexts ? { ...call, ...file, args, before, applied } : null
}
