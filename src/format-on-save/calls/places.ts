/** Finds the changes of a call in the formatted file, for example a written `a=1` that is now `a = 1`. */
import type { Change } from '../../steps/edits.ts'
import { isReformatted } from '../../steps/realign/bare-text.ts'
import { type Realign, realign } from '../../steps/realign/realign.ts'
import { lineStart, type Span } from '../../text/changed-range.ts'
import type { DoneCall } from './known-files.ts'

/** A change whose `range` lies in the formatted file, or null if it was not found there. */
export type Place = Change | null

/** If `isOnlyFormatted` is false, checks that each place still has the text of its change, apart from formatting. */
export const findPlaces = ({ applied }: DoneCall, after: string, isOnlyFormatted: boolean): Array<Place> => {
  const { raw, changes } = applied
  const toFormatted = realign(raw, after)
  return changes.map((change) => {
    const place = findPlace(change, raw, after, toFormatted)
    return place && (isOnlyFormatted || hasOwnText(change, raw, place, after)) ? place : null
  })
}

const findPlace = (change: Change, raw: string, after: string, toFormatted: Realign): Place => {
  const sent = change.range
  const mapped = toFormatted(sent)
  const found = mapped && change.writable === 'whole lines' ? wholeLines(after, mapped) : mapped
  if (!found) return null
  const place = { ...change, range: found }
  if (sent.from < sent.to) return place
  // A deletion left no text to find, so the characters on both sides of it must be the same in both texts.
  const isSameAt = (offset: number) => raw[sent.from + offset] === after[found.from + offset]
  return isSameAt(-1) && isSameAt(0) ? place : null
}

const wholeLines = (text: string, range: Span): Span | null => {
  const from = lineStart(text, range.from)
  const lineFeed = text.indexOf('\n', range.to)
  const to = lineFeed < 0 ? text.length : lineFeed
  const otherText = text.slice(from, range.from) + text.slice(range.to, to)
  if (otherText.trim() !== '') return null
  const includesLastFeed = to === text.length && to > from && text.endsWith('\n')
  return { from, to: includesLastFeed ? to - 1 : to }
}

// Comparing a longer text would take too long.
const MAX_COMPARED = 100_000

const hasOwnText = ({ range: sent }: Change, raw: string, { range: found }: Change, after: string): boolean =>
  Math.max(sent.to - sent.from, found.to - found.from) <= MAX_COMPARED
  && isReformatted(raw.slice(sent.from, sent.to), after.slice(found.from, found.to))
