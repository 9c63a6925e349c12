/** For each source (the words that a rule replaces in a text), finds the span that is meant, or a fault. */
import type { Span } from '../text/changed-range.ts'
import { linesOf } from '../text/line-ending.ts'
import { hasWords, wordsIn } from '../text/words.ts'
import { MAX_SPANS, sourceFinder, type SourceMatch, type SourceSpan } from './find-source.ts'
import { isLinePrefix, lineEnd } from './lines.ts'
import { itemAt, type Markdown, overlapping } from './markdown-parts.ts'

type Fault =
  | { kind: 'wordless' }
  /** `nearest` is the line with the most words of the source, or undefined if no line has half of them. */
  | { kind: 'missing'; nearest?: { line: number; text: string } | undefined }
  | { kind: 'protected'; where: string; line: number }
  | { kind: 'ambiguous'; lines: Array<number> }
  /** Not searched, because this source and the sources before it occur too often in the text. */
  | { kind: 'unsearched' }
  | { kind: 'overlapping'; other: number; line: number }
  /** Without the source, the rest of its list item (from `line` on) would join the item above. */
  | { kind: 'continued'; line: number }

/** `rule` and `other` are indexes of rules. */
export type SourceFault = { rule: number; source: string } & Fault

export type ReplacedSpan = Span & {
  /** Indexes of the rules with a source here. */
  rules: Array<number>
  /** Indexes of the rules whose texts are inserted here, because their first source is here. */
  insertedRules: Array<number>
  /** Emphasis marks outside the span, each with its counterpart inside the span. */
  unpaired: Array<Span>
}

type SourceOfRule = { rule: number; source: string; isFirstOfRule: boolean }

/** `meant` is the span that the rule replaces, once it is known. */
type MatchedSource = SourceOfRule & SourceMatch & { meant?: SourceSpan }

type PlacedSource = SourceOfRule & SourceSpan

/** Finds the spans that rules replace, in the order of the text, and the faults, in the order of the rules. */
export const placeSources = (
  markdown: Markdown,
  sourcesByRule: Array<Array<string>>,
): { replaced: Array<ReplacedSpan>; faults: Array<SourceFault> } => {
  const find = sourceFinder(markdown)
  const matched = sourcesByRule.flatMap((sources, rule) =>
    sources.map((source, i): MatchedSource => ({ ...find(source), rule, source, isFirstOfRule: i === 0 }))
  )
  // These two calls set `meant`.
  assignInOrder(matched)
  assignBetween(matched)
  const placed = matched.flatMap(({ meant, ...source }) => meant ? { ...source, ...meant } : [])
    .toSorted((a, b) => a.from - b.from || a.to - b.to || a.rule - b.rule)
  const replaced = joinEqualSpans(placed)
  const faults = [
    ...unplacedIn(markdown, matched),
    ...overlapsIn(markdown, placed),
    ...continuedIn(markdown, placed, replaced),
  ]
  return { replaced, faults: faults.toSorted((a, b) => a.rule - b.rule) }
}

const keyOf = ({ from, to }: Span): string => `${from}-${to}`

/** Shares spans out in order: of four sources that occur at the same two spans, the first two get the first span. */
const assignInOrder = (sources: Array<MatchedSource>): void => {
  const groups = new Map<string, Array<MatchedSource>>()
  for (const source of sources) {
    const key = source.spans.map(keyOf).join()
    groups.set(key, [...groups.get(key) ?? [], source])
  }
  for (const group of groups.values()) {
    const { spans } = group[0]!
    if (!areAssignable(spans) || group.length % spans.length !== 0) continue
    const sourcesPerSpan = group.length / spans.length
    group.forEach((source, index) => source.meant = spans[Math.floor(index / sourcesPerSpan)]!)
  }
}

const areAssignable = (spans: Array<Span>): boolean =>
  spans.length > 0 && spans.length <= MAX_SPANS
  && spans.every(({ from }, i) => i === 0 || from >= spans[i - 1]!.to)

/** If exactly one span of a source lies between the chosen spans of the previous and the next rule, chooses it. */
const assignBetween = (sources: Array<MatchedSource>): void =>
  sources.forEach((source) => {
    if (source.meant !== undefined) return
    const before = sources.findLast(({ rule, meant }) => meant && rule < source.rule)?.meant
    const after = sources.find(({ rule, meant }) => meant && rule > source.rule)?.meant
    const between = source.spans.filter(({ from, to }) =>
      (before === undefined || from >= before.to) && (after === undefined || to <= after.from)
    )
    if (between.length === 1) source.meant = between[0]!
  })

type Line = { number: number; text: string; words: Set<string> }

const nearestLine = (lines: Array<Line>, source: string): { line: number; text: string } | undefined => {
  const words = [...new Set(wordsIn(source))]
  let most = 0
  let nearest: Line | undefined
  for (const line of lines) {
    const shared = words.filter((word) => line.words.has(word)).length
    const hasHalf = shared >= words.length / 2
    if (hasHalf && shared > most) [most, nearest] = [shared, line]
  }
  return nearest && { line: nearest.number, text: nearest.text.trim() }
}

// An answer has no room for more nearest lines.
const MAX_NEAREST = 20

const unplacedIn = ({ text, lineNumbers }: Markdown, sources: Array<MatchedSource>): Array<SourceFault> => {
  const unplaced = sources.filter(({ meant }) => meant === undefined)
  if (unplaced.length === 0) return []
  const lines = linesOf(text).map((line, i) => ({ number: i + 1, text: line, words: new Set(wordsIn(line)) }))
  const faultOf = ({ source, spans, protectedBy, hitLimit }: MatchedSource, index: number): Fault => {
    if (!hasWords(source)) return { kind: 'wordless' }
    if (hitLimit) return { kind: 'unsearched' }
    if (spans.length > 0) return { kind: 'ambiguous', lines: spans.map(({ from }) => lineNumbers[from]!) }
    if (protectedBy) {
      return { kind: 'protected', where: protectedBy.kind, line: lineNumbers[protectedBy.from]! }
    }
    return { kind: 'missing', nearest: index < MAX_NEAREST ? nearestLine(lines, source) : undefined }
  }
  return unplaced.map((each, index) => ({ rule: each.rule, source: each.source, ...faultOf(each, index) }))
}

/** Takes sources sorted by `from`, and lists overlaps as faults of the later rule. */
const overlapsIn = ({ lineNumbers }: Markdown, sources: Array<PlacedSource>): Array<SourceFault> => {
  const faults: Array<SourceFault> = []
  let endsLast = sources[0]!
  for (const source of sources) {
    if (source.from < endsLast.to && keyOf(source) !== keyOf(endsLast)) {
      const [earlier, later] = endsLast.rule < source.rule ? [endsLast, source] : [source, endsLast]
      const line = lineNumbers[source.from]!
      faults.push({ rule: later.rule, source: later.source, kind: 'overlapping', other: earlier.rule, line })
    }
    if (source.to > endsLast.to) endsLast = source
  }
  return faults
}

const joinEqualSpans = (sources: Array<PlacedSource>): Array<ReplacedSpan> => {
  const replaced = new Map<string, ReplacedSpan>()
  for (const { from, to, rule, isFirstOfRule, unpaired = [] } of sources) {
    const key = keyOf({ from, to })
    const span = replaced.get(key) ?? { from, to, rules: [], insertedRules: [], unpaired: [] }
    replaced.set(key, span)
    span.rules.push(rule)
    span.unpaired.push(...unpaired)
    if (isFirstOfRule) span.insertedRules.push(rule)
  }
  return [...replaced.values()]
}

const LIST_NUMBERS = /^[\s>]*\d{1,9}[.)]/gm

const continuedIn = (
  { text, root, lineNumbers }: Markdown,
  sources: Array<PlacedSource>,
  replaced: Array<ReplacedSpan>,
): Array<SourceFault> => {
  const removed = replaced.filter(({ insertedRules }) => insertedRules.length === 0)
  return removed.flatMap((span): Array<SourceFault> => {
    const { from, to } = span
    const item = itemAt(root, from)
    const isItemStart = item !== undefined && isLinePrefix(text.slice(item.from, from))
    if (!isItemStart) return []
    // If other words follow the source on its line, the line stays and starts the item.
    let keptFrom = lineEnd(text, to)
    if (hasWords(text.slice(to, keptFrom))) return []
    for (const other of overlapping(removed, { from: keptFrom, to: item.to })) {
      if (hasWords(text.slice(keptFrom, other.from).replace(LIST_NUMBERS, ''))) break
      keptFrom = other.to
    }
    const kept = text.slice(keptFrom, item.to).search(/[\p{L}\p{N}]/u)
    if (kept < 0) return []
    const { rule, source } = sources.find((each) => keyOf(each) === keyOf(span))!
    return [{ rule, source, kind: 'continued', line: lineNumbers[keptFrom + kept]! }]
  })
}
