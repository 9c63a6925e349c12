/** Corrects the arguments of the calls that wrote a file, for example from `a=1` to the formatted `a = 1`. */
import { setImmediate } from 'node:timers/promises'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import { type Change, writesWholeFile } from '../../steps/edits.ts'
import { onlyIndexOf } from '../../steps/realign/bare-text.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { type DoneCall, isWrite } from './known-files.ts'
import { findPlaces, type Place } from './places.ts'

/** The file's texts before and after a call, as if the model had sent formatted text. */
export type Stage = { before: string; after: string }

/** The keys of both maps are the uncorrected calls. */
type Corrections = {
  texts: Map<DoneCall, ChangeTexts>
  /** Lacks the calls for which `before` or `after` would be a guess. */
  stages: Map<DoneCall, Stage>
}

/** `produced` is the file's text after the corrected `calls`, or null if it is not certain. */
export type Corrected = Corrections & { calls: Array<DoneCall>; produced: string | null }

export const uncorrected = (calls: Array<DoneCall>, produced: string | null): Corrected => ({
  calls,
  produced,
  texts: new Map(),
  stages: new Map(),
})

// SAT and the host share one thread, so SAT lets the host do other work before it searches a text longer than this.
const LARGE_LENGTH = 100_000

/**
 * Corrects calls so that together they produce the formatted file, as far as possible. From the last call to the first,
 * finds a call's changes in the formatted file, then undoes them there.
 *
 * | call | formatted file after it | new text | formatted file before it |
 * | --- | --- | --- | --- |
 * | 2. edit: `b=2` to `b=3` | `a = 1\nb = 3` | `b = 3` | `a = 1\nb=2` |
 * | 1. write: `a=1\nb=2` | `a = 1\nb=2` | `a = 1\nb=2` | empty |
 *
 * In the corrected write, the edit still finds its `oldString`, `b=2`.
 *
 * @param mayBeForeign whether somebody other than the formatter may have changed the file
 */
export const correctCalls = async (
  calls: Array<DoneCall>,
  formatted: string,
  directory: string,
  mayBeForeign: boolean,
): Promise<Corrected> => {
  const corrections: Corrections = { texts: new Map(), stages: new Map() }
  const writes = calls.filter(isWrite)
  let after = formatted
  // `after` is certain as long as each later call was undone completely.
  let isCertain = true
  for (const call of writes.toReversed()) {
    const { raw, changes } = call.applied
    // Formatting did not change the text of this and the earlier calls.
    if (raw === after) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const places = findPlaces(call, after, isCertain && !mayBeForeign)
    corrections.texts.set(call, newTextsOf(changes, places, after))
    const isFirst = call === writes[0]
    const before = isFirst ? call.before : undo(after, places)
    const isUndone = places.length > 0 && !places.includes(null)
    isCertain &&= isFirst || isUndone
    if (isCertain) corrections.stages.set(call, { before, after })
    after = before
  }
  return applyAll(calls, corrections, directory)
}

const newTextsOf = (changes: Array<Change>, places: Array<Place>, after: string): ChangeTexts => {
  const texts = places.map((place) => place && after.slice(place.range.from, place.range.to))
  // An `edit` has one `newString` for all changes, and the host refuses a `newString` that equals `oldString`.
  if (changes[0]?.writable !== 'one text') return texts
  const [newString = null] = texts
  const isOneText = newString !== null && new Set(texts).size === 1
  const fitsEdit = isOneText && crlfToLf(newString) !== crlfToLf(changes[0].old)
  return fitsEdit ? texts : texts.map(() => null)
}

const undo = (text: string, places: Array<Place>): string => {
  const found = places.filter((place) => place !== null)
  // In this order, the ranges of the remaining places stay valid.
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

/** Applies the corrected calls. If a call no longer fits the text, retries without the last correction before it. */
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
  const corrected = { ...call, ...file, args, before, applied }
  if (writesWholeFile(applied)) return corrected
  const isUnique = (text: string, old: string) => onlyIndexOf(text, old) >= 0
  // If `old` became unique, or is no longer unique, the host may replace another occurrence.
  const replacesSame = applied.changes.every(({ old }, index) =>
    old === call.applied.changes[index]!.old && isUnique(before, old) === isUnique(call.before, old)
  )
  return replacesSame ? corrected : null
}
