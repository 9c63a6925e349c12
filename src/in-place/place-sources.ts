/** Assigns to each source (words of a text that a rule replaces) the span of the text where it stands, or a fault. */
import type { Span } from '../text/changed-range.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import { hasWords, wordsIn } from '../text/words.ts'
import { sourceFinder, type SourceMatch, type SourceSpan } from './find-source.ts'
import type { Markdown } from './markdown-parts.ts'

type Fault =
  | { kind: 'wordless' }
  | { kind: 'missing'; nearest?: { line: number; text: string } | undefined }
  | { kind: 'protected'; where: string; line: number }
  | { kind: 'ambiguous'; lines: Array<number> }
  | { kind: 'overlapping'; other: number; line: number }

/** A source that cannot be replaced, and why. `rule` and `other` are indexes of rules. */
export type SourceFault = { rule: number; source: string } & Fault

/**
 * A span that rules replace. `rules` has the indexes of all rules with a source here; `inserted`, only of those whose
 * text is inserted here, at their first source. `unpaired`: the emphasis marks outside whose counterparts are inside.
 */
export type ReplacedSpan = Span & { rules: Array<number>; inserted: Array<number>; unpaired: Array<Span> }

/** A source, all spans where it occurs, and the assigned one (`span`); `index` is its position in the rule's list. */
type LocatedSource = SourceMatch & { rule: number; index: number; source: string; span?: SourceSpan }

const keyOf = ({ from, to }: Span): string => `${from}-${to}`

/**
 * Groups the sources that occur at the same spans. Assigns the spans to the sources of a group in order, each span to
 * the same number of sources; assigns none if that is impossible.
 */
const assignInOrder = (sources: Array<LocatedSource>): void => {
  const groups = new Map<string, Array<LocatedSource>>()
  for (const source of sources) {
    const key = source.spans.map(keyOf).join()
    groups.set(key, [...groups.get(key) ?? [], source])
  }
  for (const group of groups.values()) {
    const { spans } = group[0]!
    if (spans.length === 0 || group.length % spans.length !== 0) continue
    group.forEach((source, index) => source.span = spans[Math.floor(index * spans.length / group.length)]!)
  }
}

/** Assigns a span to each source without one: the only one between the spans of the nearest other rules, if any. */
const assignBetween = (sources: Array<LocatedSource>): void =>
  sources.forEach((source, position) => {
    if (source.span !== undefined) return
    const before = sources.slice(0, position).findLast(({ rule, span }) => span && rule < source.rule)?.span
    const after = sources.slice(position + 1).find(({ rule, span }) => span && rule > source.rule)?.span
    const between = source.spans.filter(({ from, to }) =>
      (before === undefined || from >= before.to) && (after === undefined || to <= after.from)
    )
    if (between.length === 1) source.span = between[0]!
  })

type Line = { number: number; text: string; words: Set<string> }

/** Returns the line with the most words of a source, the first of several; `undefined` if no line has half of them. */
const nearestLine = (lines: Array<Line>, source: string): { line: number; text: string } | undefined => {
  const words = [...new Set(wordsIn(source))]
  let most = Math.ceil(words.length / 2) - 1
  let nearest: Line | undefined
  for (const line of lines) {
    const shared = words.filter((word) => line.words.has(word)).length
    if (shared > most) [most, nearest] = [shared, line]
  }
  return nearest && { line: nearest.number, text: nearest.text.trim() }
}

// An answer has no room for the nearest lines of more sources.
const MAX_NEAREST = 20

/** Lists the faults of the sources without a span. */
const unplacedIn = ({ text }: Markdown, sources: Array<LocatedSource>): Array<SourceFault> => {
  const unplaced = sources.filter(({ span }) => span === undefined)
  if (unplaced.length === 0) return []
  const numbers = lineNumbers(text)
  const lines = linesOf(text).map((line, i) => ({ number: i + 1, text: line, words: new Set(wordsIn(line)) }))
  return unplaced.map(({ rule, source, spans, protectedBy }, index): SourceFault => {
    if (!hasWords(source)) return { rule, source, kind: 'wordless' }
    if (spans.length > 0) {
      return { rule, source, kind: 'ambiguous', lines: spans.map(({ from }) => numbers[from]!) }
    }
    if (protectedBy !== undefined) {
      return { rule, source, kind: 'protected', where: protectedBy.kind, line: numbers[protectedBy.from]! }
    }
    const nearest = index < MAX_NEAREST ? nearestLine(lines, source) : undefined
    return { rule, source, kind: 'missing', nearest }
  })
}

type SourcePlace = Span & { rule: number; source: string }

/** Lists the faults of sources whose span overlaps, but does not equal, that of another. `places` must be sorted. */
const overlapsIn = ({ text }: Markdown, places: Array<SourcePlace>): Array<SourceFault> => {
  const numbers = lineNumbers(text)
  const faults: Array<SourceFault> = []
  // The place that ends last so far.
  let last = places[0]
  for (const place of places) {
    if (last && keyOf(last) !== keyOf(place) && place.from < last.to) {
      const [earlier, later] = last.rule < place.rule ? [last, place] : [place, last]
      const { rule, source } = later
      faults.push({ rule, source, kind: 'overlapping', other: earlier.rule, line: numbers[place.from]! })
    }
    if (last && place.to > last.to) last = place
  }
  return faults
}

/** Finds the spans that rules replace, in the order of the text, and all faults. `sources` has a list for each rule. */
export const placeSources = (
  markdown: Markdown,
  sources: Array<Array<string>>,
): { replaced: Array<ReplacedSpan>; faults: Array<SourceFault> } => {
  const find = sourceFinder(markdown)
  const located = sources.flatMap((ofRule, rule) =>
    ofRule.map((source, index): LocatedSource => {
      const match = hasWords(source) ? find(source) : { spans: [] }
      return { ...match, rule, index, source }
    })
  )
  assignInOrder(located)
  assignBetween(located)
  const places = located.flatMap(({ span, ...source }) => span ? { ...source, ...span } : [])
    .toSorted((a, b) => a.from - b.from || a.to - b.to || a.rule - b.rule)
  const replaced = new Map<string, ReplacedSpan>()
  for (const { from, to, rule, index, unpaired = [] } of places) {
    const key = keyOf({ from, to })
    const span = replaced.get(key) ?? { from, to, rules: [], inserted: [], unpaired: [] }
    replaced.set(key, span)
    span.rules.push(rule)
    span.unpaired.push(...unpaired)
    if (index === 0) span.inserted.push(rule)
  }
  const faults = [...unplacedIn(markdown, located), ...overlapsIn(markdown, places)]
  return { replaced: [...replaced.values()], faults: faults.toSorted((a, b) => a.rule - b.rule) }
}
