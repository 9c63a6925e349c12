/** Computes the arguments with which the calls of a model produce the formatted file. */
import { setImmediate } from 'node:timers/promises'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import type { Change } from '../../steps/edits.ts'
import { isReformatted, onlyIndexOf } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { type DoneCall, isWrite } from './known-files.ts'

/** The formatted file before a call and after it, without the changes of later calls. */
export type Stage = { before: string; after: string }

/** The new texts of the changes that calls made, and the stages of the calls whose stage is sure. */
type Corrections = { texts: Map<DoneCall, ChangeTexts>; stages: Map<DoneCall, Stage> }

/** The corrected calls, with their new texts. `produced`: the file's text after these calls; null if not sure. */
export type Corrected = Corrections & { calls: Array<DoneCall>; produced: string | null }

/** Returns the result for calls that are not corrected. */
export const uncorrected = (calls: Array<DoneCall>, produced: string | null): Corrected => ({
  calls,
  texts: new Map(),
  stages: new Map(),
  produced,
})

/** Widens a range to whole lines, without the line feed after the last one; null if other text is on these lines. */
const wholeLines = (text: string, { from: start, to: end }: Span): Span | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const otherText = text.slice(from, start) + text.slice(end, to)
  const endsWithLastFeed = to === text.length && to > from && text.endsWith('\n')
  return otherText.trim() === '' ? { from, to: endsWithLastFeed ? to - 1 : to } : null
}

/** Returns a change of a call with its range in the formatted text; null if the change is not there. */
const locateChange = (raw: string, change: Change, now: string, toFormatted: Realign): Change | null => {
  const { range } = change
  const mapped = toFormatted(range)
  const place = mapped && change.kind === 'lines' ? wholeLines(now, mapped) : mapped
  if (!place) return null
  // A deletion counts as found only if the characters on both sides of it are the same as in `raw`.
  const isSameAt = (offset: number) => raw[range.from + offset] === now[place.from + offset]
  const isFound = range.from < range.to || (isSameAt(-1) && isSameAt(0))
  return isFound ? { ...change, range: place } : null
}

/**
 * Restores the texts that changes replaced, from the last change to the first. Skips a change that was not found (null)
 * or overlaps a later one.
 */
const undo = (text: string, changes: Array<Change | null>): string => {
  const located = changes.filter((change) => change !== null)
  const lastFirst = located.toSorted((one, other) => other.range.from - one.range.from)
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
 * Returns the formatted texts of a call's changes; null for a change that was not found, or if the call's arguments
 * cannot hold the text.
 */
const textsAt = (changes: Array<Change>, now: string, located: Array<Change | null>): ChangeTexts => {
  const texts = located.map((change) => change && now.slice(change.range.from, change.range.to))
  const [first = null] = texts
  // All changes of an `edit`, which are of kind `text`, get the same `newString`, which must differ from `oldString`.
  const isOneText = first !== null && new Set(texts).size === 1
    && crlfToLf(first) !== crlfToLf(changes[0]!.old)
  return isOneText || changes[0]?.kind !== 'text' ? texts : texts.map(() => null)
}

// Corrections block the host's only thread. For longer texts, `findCorrections` therefore yields between calls, and
// `isOwn` compares nothing.
const LARGE_LENGTH = 100_000

/** Whether a found text is the call's own text, reformatted, without anything that others wrote; false if long. */
const isOwn = (raw: string, { range: sent }: Change, now: string, { range }: Change): boolean =>
  Math.max(range.to - range.from, sent.to - sent.from) <= LARGE_LENGTH
  && isReformatted(raw.slice(sent.from, sent.to), now.slice(range.from, range.to))

/**
 * Finds new texts for calls, with which the calls, one after the other, produce the formatted file. Goes from the last
 * call to the first: finds the call's changes in the formatted file, takes the texts there, then restores what the call
 * replaced, which gives the formatted file before that call. A text that the call cannot hold stays as it is.
 *
 * A `write` of `a=1\nb=2` and an `edit` of `b=2` to `b=3`, formatted to `a = 1\nb = 3`: the edit says `b = 3`, and the
 * write `a = 1\nb=2`, in which the edit still finds its `oldString`.
 */
const findCorrections = async (
  calls: Array<DoneCall>,
  formatted: string,
  isForeign: boolean,
): Promise<Corrections> => {
  const corrections: Corrections = { texts: new Map(), stages: new Map() }
  const writes = calls.filter(isWrite)
  let now = formatted
  // Whether all changes of the later calls were found. If so, `now` is the formatted file right after the call.
  let isExact = true
  for (const call of writes.toReversed()) {
    const { raw, changes } = call.applied
    // What this call and the earlier ones wrote needs no correction.
    if (raw === now) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const toFormatted = realign(raw, now)
    const after: string = now
    const isAfterExact: boolean = isExact
    const located: Array<Change | null> = changes.map((change) => {
      const place = locateChange(raw, change, after, toFormatted)
      return place && ((isAfterExact && !isForeign) || isOwn(raw, change, after, place)) ? place : null
    })
    corrections.texts.set(call, textsAt(changes, after, located))
    isExact &&= changes.length > 0 && located.every((place) => place !== null)
    now = undo(after, located)
    const before = call === writes[0] ? call.before : isExact ? now : null
    if (before !== null && isAfterExact) corrections.stages.set(call, { before, after })
  }
  return corrections
}

/** Applies a call with its new texts; null unless it replaces exactly the places that it replaced before. */
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
  // A call that replaces the whole file has no other place.
  const replacesSame = applied.changes.every(({ range, old }, index) =>
    range.to - range.from === applied.raw.length
    || (old === call.applied.changes[index]!.old && isUnique(before, old) === isUnique(call.before, old))
  )
  return replacesSame ? { ...call, ...file, args, before, applied } : null
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
      const lastCorrected = calls.slice(0, index).findLast((earlier) => texts.has(earlier))
      if (!lastCorrected) return { ...uncorrected(calls, calls.at(-1)!.applied.raw), stages }
      const others = new Map([...texts].filter(([corrected]) => corrected !== lastCorrected))
      return applyAll(calls, { texts: others, stages }, directory)
    }
    correctedCalls.push(correctedCall)
    produced = correctedCall.applied.raw
  }
  return { calls: correctedCalls, texts, stages, produced }
}

/**
 * Corrects calls on a file so that together they produce the formatted file, as far as their arguments can hold it.
 *
 * @param isForeign whether somebody other than the formatter may have changed the file
 */
export const correctCalls = async (
  calls: Array<DoneCall>,
  formatted: string,
  directory: string,
  isForeign: boolean,
): Promise<Corrected> => applyAll(calls, await findCorrections(calls, formatted, isForeign), directory)
