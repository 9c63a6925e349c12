import { setImmediate } from 'node:timers/promises'
import { changedStretch, type Range } from '../../text/changed-stretch.ts'
import { onlyPlaceOf } from '../realign/bare-text.ts'
import { type Realign, realign } from '../realign/realign.ts'
import { readCall, type Texts } from './call.ts'
import type { Change } from './edits.ts'
import type { DoneCall } from './known-files.ts'
import { wordCounts } from './words.ts'

/** The corrected calls, the new texts of those that changed, and the file that all of them produce. */
export type Corrected = { calls: Array<DoneCall>; texts: Map<DoneCall, Texts>; believed: string }

/** Restores what changes replaced in a text, from the last place to the first. */
const undo = (text: string, places: Array<Change>): string => {
  let now = text
  let limit = text.length
  for (
    const { range: { start, end }, old } of places.toSorted((one, other) =>
      other.range.start - one.range.start
    )
  ) {
    if (end > limit) continue
    now = now.slice(0, start) + old + now.slice(end)
    limit = start
  }
  return now
}

/** Reduces a change to the lines that it really changed: an edit repeats lines so that its place is the only one. */
const coreOf = (raw: string, { range, old }: Change): Change => {
  const { before, after } = changedStretch(old, raw.slice(range.start, range.end))
  return {
    range: { start: range.start + after.start, end: range.start + after.end },
    old: old.slice(before.start, before.end),
  }
}

const isAll = ({ start, end }: Range, { length }: string): boolean => start === 0 && end === length

/** Finds the changes of a call in a formatted text, and the text as it would be without them. */
const findChanges = ({ applied: { raw, changes }, file }: DoneCall, now: string, find: Realign) => {
  const found = changes.map(({ range }) => isAll(range, raw) ? { start: 0, end: now.length } : find(range))
  const expressible = file.toExpressible(now, found)
  const places = changes.flatMap((change, index) => {
    const range = expressible[index] ?? found[index]
    if (range) return [{ range, old: change.old }]
    const core = coreOf(raw, change)
    const place = find(core.range)
    return place ? [{ range: place, old: core.old }] : []
  })
  const isUndone = places.length === changes.length && changes.length > 0
  return { expressible, earlier: undo(now, places), isUndone }
}

/** Whether another text has each word of a text at least as often. */
const hasNoOtherWords = (text: string, sent: string): boolean => {
  const counts = wordCounts(sent)
  return [...wordCounts(text)].every(([word, count]) => count <= (counts.get(word) ?? 0))
}

// Runs on the host's only thread: between the calls on a large file the host goes on.
const LARGE_LENGTH = 100_000

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
): Promise<Map<DoneCall, Texts>> => {
  const texts = new Map<DoneCall, Texts>()
  let now = formatted
  let isExact = !isForeign
  for (const call of calls.toReversed()) {
    const { raw, changes } = call.applied
    if (raw === now) break
    if (raw.length > LARGE_LENGTH) await setImmediate()
    const { expressible, earlier, isUndone } = findChanges(call, now, realign(raw, now))
    texts.set(
      call,
      expressible.map((range, index) => {
        if (!range) return null
        const text = now.slice(range.start, range.end)
        const sent = raw.slice(changes[index]!.range.start, changes[index]!.range.end)
        // Words of another session, or of a later call that could not be undone, do not belong to the call.
        return isExact || hasNoOtherWords(text, sent) ? text : null
      }),
    )
    isExact &&= isUndone
    now = earlier
  }
  return texts
}

/** Applies a call with its new texts; null where it does not find what it replaces exactly as it did before. */
const applyShown = (
  call: DoneCall,
  texts: Texts | undefined,
  before: string,
  directory: string,
): DoneCall | null => {
  const { tool, file: { path }, applied } = call
  const own = texts ? readCall(tool, call.args, directory)?.withTexts(new Map([[path, texts]])) : {}
  const args = { ...call.args, ...own }
  const file = readCall(tool, args, directory)?.files.find((other) => other.path === path)
  const made = file?.apply(before)
  const isOnce = (text: string, old: string) => onlyPlaceOf(text, old) >= 0
  const isFound = made?.changes.length === applied.changes.length
    && made.changes.every(({ range, old }, index) =>
      isAll(range, made.raw)
      || (old === applied.changes[index]!.old && isOnce(before, old) === isOnce(call.before, old))
    )
  return file && made && isFound ? { ...call, args, file, before, applied: made } : null
}

/** Applies calls in order with their new texts. Where one no longer applies, the one before it keeps its old text. */
const applyAll = (calls: Array<DoneCall>, texts: Map<DoneCall, Texts>, directory: string): Corrected => {
  const shown: Array<DoneCall> = []
  let believed = calls[0]?.before ?? ''
  for (const [index, call] of calls.entries()) {
    const now = applyShown(call, texts.get(call), believed, directory)
    const other = now ? undefined : calls.slice(0, index + 1).findLast((one) => texts.has(one))
    if (other) return applyAll(calls, new Map([...texts].filter(([one]) => one !== other)), directory)
    if (!now) return { calls, texts: new Map(), believed: calls.at(-1)!.applied.raw }
    shown.push(now)
    believed = now.applied.raw
  }
  return { calls: shown, texts, believed }
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
