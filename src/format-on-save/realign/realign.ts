import {
  changedStretch,
  commonPrefix,
  commonSuffix,
  type Range,
  type Stretch,
} from '../../text/changed-stretch.ts'
import { type BareText, bareTextOf, firstIndexWhere, onlyPlaceOf } from './bare-text.ts'

/** Finds what a range of one text has become in another; null where that is not sure. */
export type Realign = (range: Range) => Range | null

/** Which text stays as it was where whitespace next to a range changed: the range's own, or that around it. */
export type Keep = 'own' | 'around'

// Runs on the host's only thread: in a longer stretch nothing is searched.
const MAX_CHANGED = 2_000_000

// How many characters on both sides are added to a run, step by step, until its place is unique.
const CONTEXTS = [0, 8, 20, 80]
const MIN_SEARCH = 3
const STRETCH_LINES = 3

/** The changed stretch of two texts, bare, and the lengths that both share at their ends. */
type Pair = { old: BareText; now: BareText; prefix: number; suffix: number }

/** A run of bare characters; `last` is the first that is not in it. */
type Run = { first: number; last: number }

const pairOf = (before: string, after: string, stretch: Stretch): Pair => {
  const old = bareTextOf(before, stretch.before)
  const now = bareTextOf(after, stretch.after)
  const prefix = commonPrefix(old.text, now.text)
  const most = Math.min(old.text.length, now.text.length) - prefix
  return { old, now, prefix, suffix: Math.min(commonSuffix(old.text, now.text), most) }
}

/** Finds a run by its own characters and those around it, where they stand only once in both texts. */
const findOnce = ({ old, now }: Pair, { first, last }: Run): Run | null => {
  for (const context of CONTEXTS) {
    const from = Math.max(0, first - context)
    const words = old.text.slice(from, last + context)
    if (words.length < MIN_SEARCH || onlyPlaceOf(old.text, words) < 0) continue
    const place = onlyPlaceOf(now.text, words)
    if (place >= 0) return { first: place + first - from, last: place + last - from }
  }
  return null
}

/** Finds a run in the formatted text: before the first change, after the last one, around all of them, or by search. */
const counterpartOf = (pair: Pair, run: Run): Run | null => {
  const { old, now, prefix, suffix } = pair
  const grown = now.text.length - old.text.length
  const { first, last } = run
  if (last <= prefix) return run
  if (first >= old.text.length - suffix) return { first: first + grown, last: last + grown }
  if (first <= prefix && last >= old.text.length - suffix) return { first, last: last + grown }
  return findOnce(pair, run)
}

const LEADING_SIGNS = /^[,;)]*/

/** Counts the separators and closing brackets at the start of a gap that a formatter inserted there. */
const insertedSigns = (gap: string, next: string): number =>
  /^[,;)]/.test(next) ? 0 : LEADING_SIGNS.exec(gap)![0].length

/** How much of the gap before the first character, as it now is, may be the range's own; the likeliest first. */
const splitsBefore = (keep: Keep, outside: string, own: string, now: string): Array<number> => {
  const rest = now.slice(outside.length)
  // A separator that was inserted there ends what stands before.
  const around = now.startsWith(outside) ? [rest.length - insertedSigns(rest, own)] : []
  const same = now.endsWith(own) ? [own.length] : []
  return [...(keep === 'own' ? [...same, ...around] : [...around, ...same]), 0, now.trimStart().length]
}

/** The same for the gap after the last character; a separator that was inserted there belongs to the range. */
const splitsAfter = (keep: Keep, own: string, outside: string, now: string): Array<number> => {
  const around = now.endsWith(outside) ? [now.length - outside.length] : []
  const same = now.startsWith(own)
    ? [own.length + insertedSigns(now.slice(own.length), outside), own.length]
    : []
  return [
    ...(keep === 'own' ? [...same, ...around] : [...around, ...same]),
    // A separator of its own that the formatter removed.
    ...(/^[,;]\s*$/.test(own) ? [0] : []),
    LEADING_SIGNS.exec(now)![0].length,
    now.trimEnd().length,
  ]
}

const openBrackets = (text: string): number => text.split('(').length - text.split(')').length

/** Ends a range before a line end rather than within it. */
const outsideLineEnd = (text: string, { start, end }: Range): Range =>
  end > start && text[end - 1] === '\r' && text[end] === '\n' ? { start, end: end - 1 } : { start, end }

/** Gives what stands between the texts on both sides of a range, where neither of them changed. */
const betweenSame = (before: string, after: string, { start, end }: Range, shared: Run): Range | null => {
  const end2 = after.length - (before.length - end)
  if (start > shared.first || before.length - end > shared.last || end2 < start) return null
  return outsideLineEnd(after, { start, end: end2 })
}

/** The gap between two neighbouring bare characters, in the offsets of the text. */
const gapBefore = ({ at }: BareText, index: number, { start, end }: Range): Range => ({
  start: index > 0 ? at[index - 1]! + 1 : start,
  end: index < at.length ? at[index]! : end,
})

class Realignment {
  readonly #texts: { before: string; after: string; keep: Keep; stretch: Stretch }
  readonly #pair: Pair

  constructor(before: string, after: string, keep: Keep, stretch: Stretch) {
    this.#texts = { before, after, keep, stretch }
    this.#pair = pairOf(before, after, stretch)
  }

  /** Finds a range; where it begins before the changed stretch, or ends after it, that end stays. */
  find(range: Range): Range | null {
    const { stretch } = this.#texts
    const [isOpen, isOpenEnd] = [range.start < stretch.before.start, range.end > stretch.before.end]
    const found = this.#findInside({
      start: isOpen ? stretch.before.start : range.start,
      end: isOpenEnd ? stretch.before.end : range.end,
    })
    const isMoved = (isOpen && found?.start !== stretch.after.start)
      || (isOpenEnd && found?.end !== stretch.after.end)
    if (!found || isMoved) return null
    const grown = stretch.after.end - stretch.before.end
    return { start: isOpen ? range.start : found.start, end: isOpenEnd ? range.end + grown : found.end }
  }

  #findInside({ start, end }: Range): Range | null {
    const { at } = this.#pair.old
    const first = firstIndexWhere(at.length, (index) => at[index]! >= start)
    const last = firstIndexWhere(at.length, (index) => at[index]! >= end)
    return first === last
      ? this.#findGap(first, { start, end })
      : this.#findRun({ first, last }, { start, end })
  }

  /** Finds a range that holds bare characters. */
  #findRun(run: Run, { start, end }: Range): Range | null {
    const { before, after, keep, stretch } = this.#texts
    const { old, now } = this.#pair
    const found = counterpartOf(this.#pair, run)
    if (!found || found.first === found.last) return null
    const [head, tail] = [gapBefore(old, run.first, stretch.before), gapBefore(old, run.last, stretch.before)]
    const [headNow, tailNow] = [
      gapBefore(now, found.first, stretch.after),
      gapBefore(now, found.last, stretch.after),
    ]
    const heads = splitsBefore(
      keep,
      before.slice(head.start, start),
      before.slice(start, head.end),
      after.slice(headNow.start, headNow.end),
    )
    const tails = splitsAfter(
      keep,
      before.slice(tail.start, end),
      before.slice(end, tail.end),
      after.slice(tailNow.start, tailNow.end),
    )
    const ranges = heads.flatMap((own) =>
      tails.map((ownAfter) => ({ start: headNow.end - own, end: tailNow.start + ownAfter }))
    )
    const open = openBrackets(before.slice(start, end))
    const openNow = (range: Range) => openBrackets(after.slice(range.start, range.end))
    // A formatter drops a pair of brackets of which only one is in the range.
    const best = ranges.find((range) => openNow(range) === open)
      ?? ranges.find((range) => Math.abs(openNow(range)) < Math.abs(open))
    return best ? outsideLineEnd(after, best) : null
  }

  /** Finds a place between two bare characters; a range of whitespace and signs alone has none. */
  #findGap(index: number, { start, end }: Range): Range | null {
    if (start !== end) return null
    const { before, after, stretch } = this.#texts
    const { old, now, prefix, suffix } = this.#pair
    const grown = now.text.length - old.text.length
    const found = index < prefix
      ? index
      : index > old.text.length - suffix
      ? index + grown
      : findOnce(this.#pair, { first: index, last: index })?.first
    if (found === undefined) return null
    const gap = gapBefore(old, index, stretch.before)
    const gapNow = gapBefore(now, found, stretch.after)
    const [own] = splitsAfter(
      'around',
      before.slice(gap.start, start),
      before.slice(start, gap.end),
      after.slice(gapNow.start, gapNow.end),
    )
    const at = gapNow.start + (own ?? 0)
    return { start: at, end: at }
  }
}

/**
 * Finds what a range of a text has become in the formatted text, by what formatters leave alone: whitespace,
 * separators, round brackets and the kind of quotes do not count. Where the text on both sides of the range did not
 * change, it is what stands between. Null where it is gone, is there more than once, or is too much work.
 *
 * `b=2` in `a=1\nb=2` is `b = 2;` in `a = 1;\nb = 2;`.
 */
export const realign = (before: string, after: string, keep: Keep = 'own'): Realign => {
  if (before === after) return (range) => range
  const shared = { first: commonPrefix(before, after), last: commonSuffix(before, after) }
  const stretch = changedStretch(before, after, STRETCH_LINES)
  const length = stretch.before.end - stretch.before.start + stretch.after.end - stretch.after.start
  let realignment: Realignment | undefined
  return (range) => {
    const { start, end } = range
    const grown = after.length - before.length
    if (end <= stretch.before.start) return range
    if (start >= stretch.before.end) return { start: start + grown, end: end + grown }
    const between = betweenSame(before, after, range, shared)
    if (between) return between
    if (start <= stretch.before.start && end >= stretch.before.end) return { start, end: end + grown }
    if (length > MAX_CHANGED) return null
    realignment ??= new Realignment(before, after, keep, stretch)
    return realignment.find(range)
  }
}
