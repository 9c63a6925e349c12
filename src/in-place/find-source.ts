/** Finds a source (the words that a rule replaces) in a Markdown text, even if a model copied it inexactly. */
import type { Node } from '../markdown/tree.ts'
import type { Span } from '../text/changed-range.ts'
import { LruMap } from '../text/lru-map.ts'
import { hasWords } from '../text/words.ts'
import { blockAt, type Markdown, overlapping, type Region } from './markdown-parts.ts'
import { type Comparison, COMPARISONS, normalize, type NormalizedText } from './normalize.ts'

/** For the span `x** y` in `**Use x** y`, `unpaired` lists the first `**`. */
export type SourceSpan = Span & { unpaired?: Array<Span> }

export type SourceMatch = {
  spans: Array<SourceSpan>
  /** Set if the source occurs only in protected regions, such as code. */
  protectedBy?: Region | undefined
  hitLimit?: boolean
}

// Limits the time for a source that is everywhere, such as `a`.
export const MAX_SPANS = 100
// Limits the occurrences of all sources together, including occurrences within words or code.
const MAX_OCCURRENCES = 200_000
const MAX_CACHED_SOURCES = 10_000

/** Returns a function that finds the spans of a source by the strictest comparison that finds any. */
export const sourceFinder = (markdown: Markdown): (source: string) => SourceMatch => {
  const { text, root, marks, protectedRegions } = markdown
  const normalizedTexts = new LruMap<Comparison, NormalizedText>(COMPARISONS.length)
  const matches = new LruMap<string, SourceMatch>(MAX_CACHED_SOURCES)
  let occurrencesLeft = MAX_OCCURRENCES
  const find = (source: string): SourceMatch => {
    if (!hasWords(source)) return { spans: [] }
    let protectedBy: Region | undefined
    for (const comparison of COMPARISONS) {
      const normalized = normalizedTexts.getOrCreate(comparison, () => normalize(text, comparison))
      for (const parts of readingsOf(source, comparison)) {
        const spans: Array<SourceSpan> = []
        const inOneBlock: Array<SourceSpan> = []
        for (const occurrence of occurrencesOf(parts, normalized, text)) {
          if (--occurrencesLeft < 0) return { spans: [], hitLimit: true }
          if (occurrence === null) continue
          const span = comparison === 'unmarked' ? withMarks(occurrence, marks) : occurrence
          if (isInWord(text, span.from) || isInWord(text, span.to)) continue
          const [region] = overlapping(protectedRegions, span)
          if (region !== undefined) {
            protectedBy ??= region
            continue
          }
          if (!occurrence.isLonger) spans.push(span)
          if (parts.length > 1 && span.to <= (blockAt(root, span.from)?.to ?? 0)) inOneBlock.push(span)
          if (spans.length > MAX_SPANS) break
        }
        // A source with an ellipsis most likely stands for words of one paragraph.
        if (inOneBlock.length > 0) return { spans: inOneBlock }
        if (spans.length > 0) return { spans }
      }
    }
    return { spans: [], protectedBy }
  }
  return (source) => matches.getOrCreate(source, () => find(source))
}

// An ellipsis may be text or stand for other words: `'Use x … in y.'` → `[['Use x … in y.'], ['Use x', 'in y.']]`.
const readingsOf = (source: string, comparison: Comparison): Array<Array<string>> => {
  const splits = [[source], source.split(/…/), source.split(/…|\.{3,}/)]
  const readings = splits.filter((parts, i) =>
    i === 0 || parts.length > splits[i - 1]!.length && hasWords(parts[0]!) && hasWords(parts.at(-1)!)
  )
  const unitsFor = (part: string) => normalize(part.replace(LEADING_QUOTE_MARKS, ''), comparison).units.trim()
  return readings.map((reading) => reading.map(unitsFor).filter((part) => part !== ''))
}

// A model may also copy the `>` marks before a quotation.
const LEADING_QUOTE_MARKS = /^(?:\s|>(?!=))+/

const BLANK_LINE = /(?:\n|\r(?!\n))[ \t>]*(?:\r\n?|\n)/

// If `isLonger`, the span ends at the second occurrence of its last part, not the first.
type Occurrence = Span & { isLonger?: boolean }

/**
 * Yields each span that contains all parts in order, and null for each rejected occurrence, which the caller counts.
 * For the parts `a` and `c`, both `a b a c` and `a c b c` contain two spans: the whole and `a c`.
 */
function* occurrencesOf(
  parts: Array<string>,
  { units, starts, ends }: NormalizedText,
  text: string,
): Generator<Occurrence | null> {
  const [first] = parts
  if (first === undefined) return
  const searches = parts.map((part) => forwardSearch(units, part))
  let found = findInOrder(searches, 0)
  while (found) {
    const [from, lastFrom, to] = [found[0]!.from, found.at(-1)!.from, found.at(-1)!.to]
    const gaps = found.slice(1).map((next, i) => ({ from: ends[found![i]!.to - 1]!, to: starts[next.from]! }))
    const blankLine = firstBlankLine(text, gaps)
    if (blankLine === undefined) {
      yield { from: starts[from]!, to: ends[to - 1]! }
      let shortFrom = parts.slice(0, -1).reduceRight(
        (at, part) => units.lastIndexOf(part, at - part.length),
        lastFrom,
      )
      while (shortFrom > from && isInWord(text, ends[shortFrom + first.length - 1]!)) {
        yield null
        shortFrom = units.lastIndexOf(first, shortFrom - 1)
      }
      if (shortFrom > from) yield { from: starts[shortFrom]!, to: ends[to - 1]! }
      const nextLast = parts.length > 1 ? searches.at(-1)!(to) : undefined
      const longerGap = nextLast && { from: ends[to - 1]!, to: starts[nextLast.from]! }
      if (longerGap && firstBlankLine(text, [longerGap]) === undefined) {
        yield { from: starts[from]!, to: ends[nextLast.to - 1]!, isLonger: true }
      }
      found = findInOrder(searches, to)
    } else {
      yield null
      // No span begins above this blank line and ends below it.
      let next = from + 1
      while (starts[next]! < blankLine) next++
      found = findInOrder(searches, next)
    }
  }
}

const findInOrder = (
  searches: Array<ReturnType<typeof forwardSearch>>,
  from: number,
): Array<Span> | undefined => {
  const found: Array<Span> = []
  for (const search of searches) {
    const part = search(found.at(-1)?.to ?? from)
    if (!part) return undefined
    found.push(part)
  }
  return found
}

const firstBlankLine = (text: string, spans: Array<Span>): number | undefined => {
  for (const { from, to } of spans) {
    const index = text.slice(from, to).search(BLANK_LINE)
    if (index >= 0) return from + index
  }
  return undefined
}

/** If the offsets grow, all calls of the returned function together take linear time. */
const forwardSearch = (units: string, part: string): (offset: number) => Span | undefined => {
  let from = -1
  return (offset) => {
    if (from < offset) from = units.indexOf(part, offset)
    return from < 0 ? undefined : { from, to: from + part.length }
  }
}

/** In `**Use x** here`, the span `Use x** here` grows by the first `**`, but the span `x** here` does not touch it. */
const withMarks = (span: Span, marks: Array<Node>): SourceSpan => {
  let { from, to } = span
  const unpaired: Array<Span> = []
  const isWithin = (mark: Span): boolean => from <= mark.from && mark.to <= to
  const within = overlapping(marks, span).filter(isWithin)
  const isClosing = ({ to, parent }: Node): boolean => to === parent!.to
  // In `**_x_**`, the span `x_**` touches the first `**` only after it has grown by the first `_`.
  const innerFirst = [...within.filter(isClosing), ...within.filter((mark) => !isClosing(mark)).reverse()]
  for (const mark of innerFirst) {
    const { firstChild, lastChild } = mark.parent!
    const counterpart = isClosing(mark) ? firstChild! : lastChild!
    if (isWithin(counterpart)) continue
    if (counterpart.to === from) from = counterpart.from
    else if (counterpart.from === to) to = counterpart.to
    else unpaired.push(counterpart)
  }
  return { from, to, unpaired }
}

/** Returns false before a letter without case, such as a Chinese character. */
const isInWord = (text: string, at: number): boolean => {
  const isAfterLetter = /[\p{L}\p{N}]\p{M}*$/u.test(text.slice(Math.max(0, at - 4), at))
  const after = text.slice(at, at + 2)
  const isBeforeAccent = /^\p{M}/u.test(after)
  const isBeforeLetter = /^(?!\p{Lo})[\p{L}\p{N}]/u.test(after)
  return isBeforeAccent || isAfterLetter && isBeforeLetter
}
