/** Corrects the calls that wrote a file: finds their texts in the formatted file, and puts them into the arguments. */
import { setImmediate } from 'node:timers/promises'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import { type Change, writesWholeFile } from '../../steps/edits.ts'
import { isReformatted, onlyIndexOf } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { type DoneCall, isWrite } from './known-files.ts'

/** The whole file `before` and `after` one call, had it always been formatted; for the diff that the person sees. */
export type Stage = { before: string; after: string }

type Corrections = {
  /** By call, a text for each of its changes; null if the text stays as it was sent. */
  texts: Map<DoneCall, ChangeTexts>
  /** By call; lacks the calls whose stage is not sure. */
  stages: Map<DoneCall, Stage>
}

/** The calls after the correction. `produced`: the text that they produce together; null if that is not sure. */
export type Corrected = Corrections & { calls: Array<DoneCall>; produced: string | null }

export const uncorrected = (calls: Array<DoneCall>, produced: string | null): Corrected => {
  return { calls, produced, texts: new Map(), stages: new Map() }
}

/**
 * Corrects calls so that together they produce the formatted file, as far as their arguments can hold it.
 * `mayBeForeign`: somebody other than the formatter may have changed the file.
 */
export const correctCalls = async (
  calls: Array<DoneCall>,
  formatted: string,
  directory: string,
  mayBeForeign: boolean,
): Promise<Corrected> => applyAll(calls, await findCorrections(calls, formatted, mayBeForeign), directory)

// Corrections run on the host's only thread: before a longer text, they let its other work run. If others may have
// changed the file, a longer change stays as it was sent, because comparing it would take too long.
const LARGE_LENGTH = 100_000

/**
 * Finds new texts for calls, from the last call to the first. For each call, finds the places of its changes in the
 * formatted file and takes the texts there. Then undoes the call: puts back, in these places, what it replaced. The
 * result is the formatted file before this call, in which the places of the previous call are found.
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
  // The formatted file after `call`; it is exact if all changes of the later calls were found, and so undone.
  let after = formatted
  let isExact = true
  for (const call of writes.toReversed()) {
    const { raw, changes } = call.applied
    // The formatter did not change what this call and the earlier ones wrote.
    if (raw === after) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const places = findPlaces(call, after, isExact && !mayBeForeign)
    corrections.texts.set(call, newTextsOf(changes, places, after))
    // The text before the first call is known. A call without changes has an uncertain result: it cannot be undone.
    const isFirst = call === writes[0]
    const before = isFirst ? call.before : undo(after, places)
    const isUndone = isFirst || (changes.length > 0 && places.every((place) => place !== null))
    isExact &&= isUndone
    if (isExact) corrections.stages.set(call, { before, after })
    after = before
  }
  return corrections
}

/** A change at its range in the formatted file; null if it was not found there. */
type Place = Change | null

/** Finds a call's changes in the formatted file. If others may have changed it, each must have its own text. */
const findPlaces = ({ applied }: DoneCall, after: string, isOnlyFormatted: boolean): Array<Place> => {
  const { raw, changes } = applied
  const toFormatted = realign(raw, after)
  return changes.map((change) => {
    const place = findPlace(change, raw, after, toFormatted)
    return place && (isOnlyFormatted || hasOwnText(change, raw, place, after)) ? place : null
  })
}

const findPlace = (change: Change, raw: string, after: string, toFormatted: Realign): Place => {
  const { range } = change
  const mapped = toFormatted(range)
  const found = mapped && change.writable === 'whole lines' ? wholeLines(after, mapped) : mapped
  if (!found) return null
  const place = { ...change, range: found }
  const isDeletion = range.from === range.to
  if (!isDeletion) return place
  // A deletion left no text to find, so the characters on both sides must be the same.
  const isSameAt = (offset: number) => raw[range.from + offset] === after[found.from + offset]
  return isSameAt(-1) && isSameAt(0) ? place : null
}

/** Widens a range to whole lines, without the last line feed; null if that adds more than whitespace. */
const wholeLines = (text: string, { from: start, to: end }: Span): Span | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const otherText = text.slice(from, start) + text.slice(end, to)
  if (otherText.trim() !== '') return null
  // A range that includes the last line feed of the text has none after it.
  const includesLastFeed = to === text.length && to > from && text.endsWith('\n')
  return { from, to: includesLastFeed ? to - 1 : to }
}

/** Whether the text at a change's place is the text that the call sent, at most reformatted. */
const hasOwnText = ({ range: sent }: Change, raw: string, { range: found }: Change, after: string): boolean =>
  Math.max(sent.to - sent.from, found.to - found.from) <= LARGE_LENGTH
  && isReformatted(raw.slice(sent.from, sent.to), after.slice(found.from, found.to))

/** Returns the text at each place; null for a change without a place, or for all if an `edit` cannot hold the texts. */
const newTextsOf = (changes: Array<Change>, places: Array<Place>, after: string): ChangeTexts => {
  const texts = places.map((place) => place && after.slice(place.range.from, place.range.to))
  if (changes[0]?.writable !== 'one text') return texts
  // The call is an `edit`: its `newString` must fit all changes, and the host refuses one that equals `oldString`.
  const [newString = null] = texts
  const isOneText = newString !== null && new Set(texts).size === 1
  const fitsEdit = isOneText && crlfToLf(newString) !== crlfToLf(changes[0].old)
  return fitsEdit ? texts : texts.map(() => null)
}

/** Puts back what the changes of a call replaced. Skips a place that overlaps the next one in the text. */
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

/** Applies calls with their new texts. If a call then does not find what it replaces, drops an earlier correction. */
const applyAll = (calls: Array<DoneCall>, { texts, stages }: Corrections, directory: string): Corrected => {
  const correctedCalls: Array<DoneCall> = []
  let produced = calls[0]?.before ?? ''
  for (const [index, call] of calls.entries()) {
    const correctedCall = applyCorrected(call, texts.get(call), produced, directory)
    if (!correctedCall) {
      // The last correction before this call may have changed what the call replaces. If there is none, keeps none.
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

/** Applies a call with its new texts. Null if it then replaces other texts, or finds one in more or fewer places. */
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
