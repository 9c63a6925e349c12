import { setImmediate } from 'node:timers/promises'
import { fileOf, type Texts } from '../../steps/call.ts'
import type { Change } from '../../steps/edits.ts'
import { isReformatted, onlyPlaceOf } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import type { DoneCall } from './known-files.ts'

/** The formatted file before a call and after it, without what the calls below it changed. */
export type Stage = { before: string; after: string }

/** New texts of calls, and the stages of those whose changes were found. */
type Found = { texts: Map<DoneCall, Texts>; stages: Map<DoneCall, Stage> }

/** The corrected calls, the new texts of those that changed, and the file that all of them produce; null where unsure. */
export type Corrected = Found & { calls: Array<DoneCall>; believed: string | null }

/** Leaves calls as they are. */
export const uncorrected = (calls: Array<DoneCall>, believed: string | null): Corrected => ({
  calls,
  texts: new Map(),
  stages: new Map(),
  believed,
})

/** Where a change stands in a formatted text, and what it replaced. */
type Place = { range: Span; old: string }

/** Widens a range to whole lines without the last line feed; null where other words share a line with it. */
const wholeLines = (text: string, { from: start, to: end }: Span): Span | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const foreign = text.slice(from, start) + text.slice(end, to)
  const isLastEnd = to === text.length && to > from && text.endsWith('\n')
  return foreign.trim() === '' ? { from, to: isLastEnd ? to - 1 : to } : null
}

/** Finds a change of a call in a formatted text; null where it is not there. */
const placeOf = (raw: string, { range, old, kind }: Change, now: string, find: Realign): Place | null => {
  const found = find(range)
  const whole = found && kind === 'lines' ? wholeLines(now, found) : found
  const isSame = (step: number) => raw[range.from + step] === now[whole!.from + step]
  // What was removed may be restored only between what it stood between.
  if (whole && range.from === range.to && !(isSame(-1) && isSame(0))) return null
  return whole && { range: whole, old }
}

/** Restores what changes replaced in a text, from the last place to the first. */
const undo = (text: string, places: Array<Place | null>): string => {
  const found = places.filter((place) => place !== null)
  let now = text
  let limit = text.length
  for (const { range, old } of found.toSorted((one, other) => other.range.from - one.range.from)) {
    if (range.to > limit) continue
    now = now.slice(0, range.from) + old + now.slice(range.to)
    limit = range.from
  }
  return now
}

/** Gives the texts that stand in the places of a call's changes; null for those that its arguments cannot hold. */
const textsAt = (changes: Array<Change>, now: string, places: Array<Place | null>): Texts => {
  const texts = places.map((place) => place && now.slice(place.range.from, place.range.to))
  const [first = null] = texts
  // Where the formatter restored the old text, the two texts of an edit would be the same.
  const isOne = first !== null && new Set(texts).size === 1 && crlfToLf(first) !== crlfToLf(changes[0]!.old)
  return isOne || changes[0]?.kind !== 'text' ? texts : texts.map(() => null)
}

// Runs on the host's only thread: it goes on between calls on a larger file, and longer texts are not compared.
const LARGE_LENGTH = 100_000

/** Whether the text in a place is a call's, formatted, and holds nothing of others or of a later call that stayed. */
const isOwn = (raw: string, { range: sent }: Change, now: string, { range }: Place): boolean =>
  Math.max(range.to - range.from, sent.to - sent.from) <= LARGE_LENGTH
  && isReformatted(raw.slice(sent.from, sent.to), now.slice(range.from, range.to))

/**
 * Gives each call the texts with which all of them, one after the other, produce the formatted file: the last call gets
 * the text at its place; then what it replaced is restored, and the one before it gets the text at its own. A call that
 * cannot hold its text stays as it is.
 *
 * A `write` of `a=1\nb=2` and an `edit` of `b=2` to `b=3`, formatted to `a = 1\nb = 3`: the edit says `b = 3`, and the
 * write `a = 1\nb=2`, in which the edit still finds its `oldString`.
 */
const textsOf = async (
  calls: Array<DoneCall>,
  formatted: string,
  isForeign: boolean,
): Promise<Found> => {
  const found: Found = { texts: new Map(), stages: new Map() }
  const writing = calls.filter(({ tool }) => tool !== 'read')
  let now = formatted
  let isFound = true
  for (const call of writing.toReversed()) {
    const { raw, changes } = call.applied
    if (raw === now) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const find = realign(raw, now)
    const isSure: boolean = isFound && !isForeign
    const places: Array<Place | null> = changes.map((change) => {
      const place = placeOf(raw, change, now, find)
      return place && (isSure || isOwn(raw, change, now, place)) ? place : null
    })
    found.texts.set(call, textsAt(changes, now, places))
    const after = isFound ? now : null
    isFound &&= changes.length > 0 && places.every((place) => place !== null)
    now = undo(now, places)
    const before = call === writing[0] ? call.before : isFound ? now : null
    if (before !== null && after !== null) found.stages.set(call, { before, after })
  }
  return found
}

/** Applies a call with its new texts; null where it does not find what it replaces exactly as it did before. */
const applyShown = (
  call: DoneCall,
  texts: Texts | undefined,
  before: string,
  directory: string,
): DoneCall | null => {
  const { applied } = call
  const args = { ...call.args, ...(texts && call.withTexts(texts)) }
  const file = fileOf({ ...call, args }, directory)
  const made = file?.apply(before)
  const isOnce = (text: string, old: string) => onlyPlaceOf(text, old) >= 0
  const isFound = made?.changes.length === applied.changes.length
    && made.changes.every(({ range, old }, index) =>
      range.to - range.from === made.raw.length
      || (old === applied.changes[index]!.old && isOnce(before, old) === isOnce(call.before, old))
    )
  return made && isFound ? { ...call, ...file, args, before, applied: made } : null
}

/** Applies calls in order with their new texts. Where one no longer applies, the one before it keeps its old text. */
const applyAll = (calls: Array<DoneCall>, { texts, stages }: Found, directory: string): Corrected => {
  const shown: Array<DoneCall> = []
  let believed = calls[0]?.before ?? ''
  for (const [index, call] of calls.entries()) {
    const now = applyShown(call, texts.get(call), believed, directory)
    const other = now ? undefined : calls.slice(0, index).findLast((one) => texts.has(one))
    if (other) {
      const others = new Map([...texts].filter(([one]) => one !== other))
      return applyAll(calls, { texts: others, stages }, directory)
    }
    if (!now) return { ...uncorrected(calls, calls.at(-1)!.applied.raw), stages }
    shown.push(now)
    believed = now.applied.raw
  }
  return { calls: shown, texts, stages, believed }
}

/**
 * Corrects calls on a file so that they produce the formatted file, as far as their arguments can.
 *
 * @param isForeign whether others than the formatter may have changed the file
 */
export const correctCalls = async (
  calls: Array<DoneCall>,
  formatted: string,
  directory: string,
  isForeign: boolean,
): Promise<Corrected> => applyAll(calls, await textsOf(calls, formatted, isForeign), directory)
