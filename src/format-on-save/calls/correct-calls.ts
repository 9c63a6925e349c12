import { setImmediate } from 'node:timers/promises'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import type { Change } from '../../steps/edits.ts'
import { isReformatted, onlyIndexOf } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import type { DoneCall } from './known-files.ts'

/** The formatted file before a call and after it, without the changes of later calls. */
export type Stage = { before: string; after: string }

/** The new texts of calls, and the stages of the calls whose changes were found. */
type Corrections = { texts: Map<DoneCall, ChangeTexts>; stages: Map<DoneCall, Stage> }

/** The corrected calls, their new texts, and in `believed` the file that they produce; null if that is not sure. */
export type Corrected = Corrections & { calls: Array<DoneCall>; believed: string | null }

/** Returns calls without any correction. */
export const uncorrected = (calls: Array<DoneCall>, believed: string | null): Corrected => ({
  calls,
  texts: new Map(),
  stages: new Map(),
  believed,
})

/** The range of a change in the formatted text, and the text that it replaced. */
type LocatedChange = { range: Span; old: string }

/** Widens a range to whole lines, without the line feed after the last one; null if other words are on these lines. */
const wholeLines = (text: string, { from: start, to: end }: Span): Span | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const foreign = text.slice(from, start) + text.slice(end, to)
  const endsWithLastFeed = to === text.length && to > from && text.endsWith('\n')
  return foreign.trim() === '' ? { from, to: endsWithLastFeed ? to - 1 : to } : null
}

/**
 * Finds a change of a call in the formatted text; null if it is not there.
 *
 * @param toFormatted maps a range of `raw` to `now`
 */
const locateChange = (
  raw: string,
  { range, old, kind }: Change,
  now: string,
  toFormatted: Realign,
): LocatedChange | null => {
  const mapped = toFormatted(range)
  const whole = mapped && kind === 'lines' ? wholeLines(now, mapped) : mapped
  const isSame = (offset: number) => raw[range.from + offset] === now[whole!.from + offset]
  // A deletion counts as found only if the characters on both sides of it are the same as in `raw`.
  if (whole && range.from === range.to && !(isSame(-1) && isSame(0))) return null
  return whole && { range: whole, old }
}

/** Restores the texts that changes replaced, from the last change to the first. Skips one that overlaps a later one. */
const undo = (text: string, changes: Array<LocatedChange | null>): string => {
  const located = changes.filter((change) => change !== null)
  let now = text
  let limit = text.length
  for (const { range, old } of located.toSorted((one, other) => other.range.from - one.range.from)) {
    if (range.to > limit) continue
    now = now.slice(0, range.from) + old + now.slice(range.to)
    limit = range.from
  }
  return now
}

/** Returns the formatted texts of a call's changes; null for a text that the call's arguments cannot hold. */
const textsAt = (changes: Array<Change>, now: string, located: Array<LocatedChange | null>): ChangeTexts => {
  const texts = located.map((change) => change && now.slice(change.range.from, change.range.to))
  const [first = null] = texts
  // All changes of an `edit` get the same `newString`, which must differ from its `oldString`.
  const isOneText = first !== null && new Set(texts).size === 1
    && crlfToLf(first) !== crlfToLf(changes[0]!.old)
  return isOneText || changes[0]?.kind !== 'text' ? texts : texts.map(() => null)
}

// Corrections block the host's only thread. For longer texts, `findCorrections` therefore yields between calls, and `isOwn`
// compares nothing.
const LARGE_LENGTH = 100_000

/** Tells whether a found text is the call's own text, reformatted, without anything that others wrote. */
const isOwn = (raw: string, { range: sent }: Change, now: string, { range }: LocatedChange): boolean =>
  Math.max(range.to - range.from, sent.to - sent.from) <= LARGE_LENGTH
  && isReformatted(raw.slice(sent.from, sent.to), now.slice(range.from, range.to))

/**
 * Finds new texts for calls, with which they produce the formatted file one after the other. Goes from the last call to
 * the first: finds the call's change in the formatted file, takes the text there, then restores what the call replaced,
 * which gives the formatted file before that call. A call that cannot hold its text stays as it is.
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
  const writing = calls.filter(({ tool }) => tool !== 'read')
  let now = formatted
  // Whether all changes of the later calls were found: `now` is then the formatted file right after the call.
  let isExact = true
  for (const call of writing.toReversed()) {
    const { raw, changes } = call.applied
    if (raw === now) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const toFormatted = realign(raw, now)
    const isSure: boolean = isExact && !isForeign
    const locatedChanges: Array<LocatedChange | null> = changes.map((change) => {
      const at = locateChange(raw, change, now, toFormatted)
      return at && (isSure || isOwn(raw, change, now, at)) ? at : null
    })
    corrections.texts.set(call, textsAt(changes, now, locatedChanges))
    const after = isExact ? now : null
    isExact &&= changes.length > 0 && locatedChanges.every((at) => at !== null)
    now = undo(now, locatedChanges)
    const before = call === writing[0] ? call.before : isExact ? now : null
    if (before !== null && after !== null) corrections.stages.set(call, { before, after })
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
  const { applied } = call
  const args = { ...call.args, ...(texts && call.withTexts(texts)) }
  const file = fileOf({ ...call, args }, directory)
  const made = file?.apply(before)
  const isUnique = (text: string, old: string) => onlyIndexOf(text, old) >= 0
  const isFound = made?.changes.length === applied.changes.length
    && made.changes.every(({ range, old }, index) =>
      range.to - range.from === made.raw.length
      || (old === applied.changes[index]!.old && isUnique(before, old) === isUnique(call.before, old))
    )
  return made && isFound ? { ...call, ...file, args, before, applied: made } : null
}

/**
 * Applies calls in order with their new texts. If one no longer applies, drops the correction of the last corrected call
 * before it and restarts; if there is none, returns all calls without corrections.
 */
const applyAll = (calls: Array<DoneCall>, { texts, stages }: Corrections, directory: string): Corrected => {
  const applied: Array<DoneCall> = []
  let believed = calls[0]?.before ?? ''
  for (const [index, call] of calls.entries()) {
    const correctedCall = applyCorrected(call, texts.get(call), believed, directory)
    const lastCorrected = correctedCall
      ? undefined
      : calls.slice(0, index).findLast((earlier) => texts.has(earlier))
    if (lastCorrected) {
      const others = new Map([...texts].filter(([corrected]) => corrected !== lastCorrected))
      return applyAll(calls, { texts: others, stages }, directory)
    }
    if (!correctedCall) return { ...uncorrected(calls, calls.at(-1)!.applied.raw), stages }
    applied.push(correctedCall)
    believed = correctedCall.applied.raw
  }
  return { calls: applied, texts, stages, believed }
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
