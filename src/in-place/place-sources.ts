/** Assigns each source of each rule the one span of a text that the rule replaces. */
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

/** The reason why a source has no span of its own; rules are counted from 0. */
export type SourceFault = { rule: number; source: string } & Fault

/**
 * A span that rules replace, by the indexes of the rules. The text of a rule is inserted at the first source of its list;
 * `loose` are emphasis marks elsewhere that lose their counterparts.
 */
export type ReplacedSpan = Span & { rules: Array<number>; inserted: Array<number>; loose: Array<Span> }

/** A source and the spans at which it occurs; `index` is its position in the list of its rule, `span` the assigned span. */
type PlacedSource = SourceMatch & { rule: number; index: number; source: string; span?: SourceSpan }

const keyOf = ({ from, to }: Span): string => `${from}-${to}`

/** Assigns sources with the same spans in order: if their number is a multiple of the spans', each span gets as many. */
const assignInOrder = (all: Array<PlacedSource>): void => {
  const groups = new Map<string, Array<PlacedSource>>()
  for (const source of all) {
    const key = source.spans.map(keyOf).join()
    groups.set(key, [...groups.get(key) ?? [], source])
  }
  for (const group of groups.values()) {
    const { spans } = group[0]!
    if (spans.length === 0 || group.length % spans.length !== 0) continue
    group.forEach((source, at) => source.span = spans[Math.floor(at * spans.length / group.length)]!)
  }
}

/** Assigns each of the other sources the only one of its spans between those of the rules before and after it. */
const assignBetween = (all: Array<PlacedSource>): void =>
  all.forEach((source, at) => {
    if (source.span !== undefined || source.spans.length === 0) return
    const before = all.slice(0, at).findLast(({ rule, span }) => span && rule < source.rule)?.span
    const after = all.slice(at + 1).find(({ rule, span }) => span && rule > source.rule)?.span
    const between = source.spans.filter(({ from, to }) =>
      (before === undefined || from >= before.to) && (after === undefined || to <= after.from)
    )
    if (between.length === 1) source.span = between[0]!
  })

/** Returns the line of a text that has most of the words of a source, and at least half of them. */
const nearestLine = (lines: Array<{ text: string; words: Set<string> }>, source: string) => {
  const words = new Set(wordsIn(source))
  let [most, nearest] = [Math.max(1, words.size / 2), -1]
  lines.forEach((line, at) => {
    const shared = [...words].filter((word) => line.words.has(word)).length
    if (shared > most || shared === most && nearest < 0) [most, nearest] = [shared, at]
  })
  return nearest < 0 ? undefined : { line: nearest + 1, text: lines[nearest]!.text.trim() }
}

// An answer has no room for more.
const MAX_NEAREST = 20

/** Lists the faults of the sources without a span. */
const unplacedIn = ({ text }: Markdown, all: Array<PlacedSource>): Array<SourceFault> => {
  const numbers = lineNumbers(text)
  let lines: Parameters<typeof nearestLine>[0] | undefined
  const nearestTo = (source: string) => {
    lines ??= linesOf(text).map((line) => ({ text: line, words: new Set(wordsIn(line)) }))
    return nearestLine(lines, source)
  }
  return all.filter(({ span }) => span === undefined).map(
    ({ rule, source, spans, protectedBy }, at): SourceFault => {
      if (!hasWords(source)) return { rule, source, kind: 'wordless' }
      if (spans.length > 0) {
        return { rule, source, kind: 'ambiguous', lines: spans.map(({ from }) => numbers[from]!) }
      }
      return protectedBy === undefined
        ? { rule, source, kind: 'missing', nearest: at < MAX_NEAREST ? nearestTo(source) : undefined }
        : { rule, source, kind: 'protected', where: protectedBy.kind, line: numbers[protectedBy.from]! }
    },
  )
}

type Place = Span & { rule: number; source: string }

/** Lists the faults of sources whose span overlaps another one without being the same. */
const overlapsIn = ({ text }: Markdown, places: Array<Place>): Array<SourceFault> => {
  const numbers = lineNumbers(text)
  const faults: Array<SourceFault> = []
  let last: Place | undefined
  for (const place of places) {
    if (last !== undefined && keyOf(last) !== keyOf(place) && place.from < last.to) {
      const [first, second] = last.rule < place.rule ? [last, place] : [place, last]
      const line = numbers[place.from]!
      faults.push({ rule: second.rule, source: second.source, kind: 'overlapping', other: first.rule, line })
    }
    if (last === undefined || place.to > last.to) last = place
  }
  return faults
}

/**
 * Finds the span of each source of each rule.
 *
 * @param sources the sources of each rule, an empty list for a rule without one
 * @returns the spans in the order of the text, each with its rules in their order; and all faults
 */
export const placeSources = (
  markdown: Markdown,
  sources: Array<Array<string>>,
): { replaced: Array<ReplacedSpan>; faults: Array<SourceFault> } => {
  const find = sourceFinder(markdown)
  const all = sources.flatMap((ofRule, rule) =>
    ofRule.map((source, index): PlacedSource => ({
      ...(hasWords(source) ? find(source) : { spans: [] }),
      rule,
      index,
      source,
    }))
  )
  assignInOrder(all)
  assignBetween(all)
  const places = all.flatMap(({ rule, index, source, span }) => span ? { ...span, rule, index, source } : [])
    .toSorted((a, b) => a.from - b.from || a.to - b.to || a.rule - b.rule)
  const replaced = new Map<string, ReplacedSpan>()
  for (const { from, to, rule, index, loose = [] } of places) {
    const key = keyOf({ from, to })
    const span = replaced.get(key) ?? { from, to, rules: [], inserted: [], loose: [] }
    replaced.set(key, span)
    span.rules.push(rule)
    span.loose.push(...loose)
    if (index === 0) span.inserted.push(rule)
  }
  const faults = [...unplacedIn(markdown, all), ...overlapsIn(markdown, places)]
  return { replaced: [...replaced.values()], faults: faults.toSorted((a, b) => a.rule - b.rule) }
}
