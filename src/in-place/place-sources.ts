/** For each source (the words of a text that a rule replaces), finds the span that is meant, or a fault. */
import type { Span } from '../text/changed-range.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import { hasWords, wordsIn } from '../text/words.ts'
import { sourceFinder, type SourceMatch, type SourceSpan } from './find-source.ts'
import type { Markdown } from './markdown-parts.ts'

type Fault =
  | { kind: 'wordless' }
  /** `nearest` is the line with the most words of the source, if a line has half of them. */
  | { kind: 'missing'; nearest?: { line: number; text: string } | undefined }
  /** The source occurs only where nothing is replaced, such as in code. */
  | { kind: 'protected'; where: string; line: number }
  | { kind: 'ambiguous'; lines: Array<number> }
  | { kind: 'overlapping'; other: number; line: number }

/** Why a source cannot be replaced; `rule` and `other` are indexes of rules. */
export type SourceFault = { rule: number; source: string } & Fault

export type ReplacedSpan = Span & {
  /** The indexes of the rules with a source here. */
  rules: Array<number>
  /** The indexes of the rules whose first source is here. Only their texts are inserted here. */
  insertedRules: Array<number>
  /** Emphasis marks outside the span whose counterparts are inside. */
  unpaired: Array<Span>
}

/** A source, its `spans` (all places where its words occur), and its `span` (the place that is meant), once known. */
type LocatedSource = SourceMatch & { rule: number; source: string; isFirstOfRule: boolean; span?: SourceSpan }

const keyOf = ({ from, to }: Span): string => `${from}-${to}`

/**
 * Assigns spans, in their order, to sources that all occur at the same spans, if each span can get equally many:
 * of four sources with two spans, the first two get the first span, the others the second.
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
    const sourcesPerSpan = group.length / spans.length
    group.forEach((source, index) => source.span = spans[Math.floor(index / sourcesPerSpan)]!)
  }
}

/** If only one span of a source is between the spans of the rules before and after it, assigns that one. */
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

const nearestLine = (lines: Array<Line>, source: string): { line: number; text: string } | undefined => {
  const words = [...new Set(wordsIn(source))]
  // At least half of the words must be shared.
  let most = Math.ceil(words.length / 2) - 1
  let nearest: Line | undefined
  for (const line of lines) {
    const shared = words.filter((word) => line.words.has(word)).length
    if (shared > most) [most, nearest] = [shared, line]
  }
  return nearest && { line: nearest.number, text: nearest.text.trim() }
}

// An answer has no room for more nearest lines.
const MAX_NEAREST = 20

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

type SourcePlace = SourceSpan & { rule: number; source: string; isFirstOfRule: boolean }

/** Lists places that overlap without being equal, as faults of the later rule; `places` must be sorted by `from`. */
const overlapsIn = ({ text }: Markdown, places: Array<SourcePlace>): Array<SourceFault> => {
  const numbers = lineNumbers(text)
  const faults: Array<SourceFault> = []
  let farthest = places[0]!
  for (const place of places) {
    if (keyOf(farthest) !== keyOf(place) && place.from < farthest.to) {
      const [earlier, later] = farthest.rule < place.rule ? [farthest, place] : [place, farthest]
      const { rule, source } = later
      faults.push({ rule, source, kind: 'overlapping', other: earlier.rule, line: numbers[place.from]! })
    }
    if (place.to > farthest.to) farthest = place
  }
  return faults
}

/** Joins equal places to one span, in the order of the places. */
const joinEqual = (places: Array<SourcePlace>): Array<ReplacedSpan> => {
  const replaced = new Map<string, ReplacedSpan>()
  for (const { from, to, rule, isFirstOfRule, unpaired = [] } of places) {
    const key = keyOf({ from, to })
    const span = replaced.get(key) ?? { from, to, rules: [], insertedRules: [], unpaired: [] }
    replaced.set(key, span)
    span.rules.push(rule)
    span.unpaired.push(...unpaired)
    if (isFirstOfRule) span.insertedRules.push(rule)
  }
  return [...replaced.values()]
}

/** Finds the spans that rules replace, in the order of the text, and the faults, in the order of the rules. */
export const placeSources = (
  markdown: Markdown,
  sourcesByRule: Array<Array<string>>,
): { replaced: Array<ReplacedSpan>; faults: Array<SourceFault> } => {
  const find = sourceFinder(markdown)
  const located = sourcesByRule.flatMap((sources, rule) =>
    sources.map((source, index): LocatedSource => {
      const match = hasWords(source) ? find(source) : { spans: [] }
      return { ...match, rule, source, isFirstOfRule: index === 0 }
    })
  )
  assignInOrder(located)
  assignBetween(located)
  const places = located.flatMap(({ span, ...source }) => span ? { ...source, ...span } : [])
    .toSorted((a, b) => a.from - b.from || a.to - b.to || a.rule - b.rule)
  const faults = [...unplacedIn(markdown, located), ...overlapsIn(markdown, places)]
  return { replaced: joinEqual(places), faults: faults.toSorted((a, b) => a.rule - b.rule) }
}
