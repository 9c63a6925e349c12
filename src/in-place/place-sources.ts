/** Gives each source of each rule its one place in a text. */
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import { type Found, type FoundSpan, sourceFinder } from './find-source.ts'
import { hasWords } from './lines.ts'
import type { Markdown } from './markdown-parts.ts'

/** The span of a source; `index` is its number in the list of its rule, from 0. */
export type Place = FoundSpan & { rule: number; index: number; source: string }

type Fault =
  | { kind: 'wordless' }
  | { kind: 'missing'; nearest?: { line: number; text: string } | undefined }
  | { kind: 'protected'; where: string; line: number }
  | { kind: 'ambiguous'; lines: Array<number> }
  | { kind: 'overlapping'; other: number; line: number }

/** Why a source has no place of its own; rules are counted from 0. */
export type SourceFault = { rule: number; source: string } & Fault

/** A source in search of its place. */
type Wanted = Omit<Place, 'from' | 'to'> & Found & { span?: FoundSpan | undefined }

/** Assigns repeated words in the order of the sources: as many sources as places, or a multiple, get one each. */
const share = (all: Array<Wanted>): void => {
  const groups = new Map<string, Array<Wanted>>()
  for (const one of all) {
    const key = one.spans.map(({ from, to }) => `${from}-${to}`).join()
    groups.set(key, [...groups.get(key) ?? [], one])
  }
  for (const group of groups.values()) {
    const { spans } = group[0]!
    if (spans.length === 0 || group.length % spans.length !== 0) continue
    group.forEach((one, at) => one.span = spans[Math.floor(at * spans.length / group.length)])
  }
}

/** Assigns the other sources: each gets the only one of its places between those of the rules before and after it. */
const chooseBetween = (all: Array<Wanted>): void =>
  all.forEach((one, at) => {
    if (one.span !== undefined || one.spans.length === 0) return
    const before = all.slice(0, at).findLast(({ rule, span }) => span && rule < one.rule)?.span
    const after = all.slice(at + 1).find(({ rule, span }) => span && rule > one.rule)?.span
    const between = one.spans.filter(({ from, to }) =>
      (before === undefined || from >= before.to) && (after === undefined || to <= after.from)
    )
    if (between.length === 1) one.span = between[0]
  })

const wordsIn = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Finds the line of a text that has most words of a source, if it has half of them. */
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
const MOST_NEAREST = 20

/** Lists the faults of the sources that have no place. */
const faultsIn = ({ text }: Markdown, all: Array<Wanted>): Array<SourceFault> => {
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
        ? { rule, source, kind: 'missing', nearest: at < MOST_NEAREST ? nearestTo(source) : undefined }
        : { rule, source, kind: 'protected', where: protectedBy.kind, line: numbers[protectedBy.from]! }
    },
  )
}

/** Lists the sources that share words with another one without being the same words. */
const overlapsIn = ({ text }: Markdown, places: Array<Place>): Array<SourceFault> => {
  const numbers = lineNumbers(text)
  const faults: Array<SourceFault> = []
  let last: Place | undefined
  for (const place of places) {
    const isSame = last?.from === place.from && last.to === place.to
    if (last !== undefined && !isSame && place.from < last.to) {
      const [first, second] = last.rule < place.rule ? [last, place] : [place, last]
      const line = numbers[place.from]!
      faults.push({ rule: second.rule, source: second.source, kind: 'overlapping', other: first.rule, line })
    }
    if (last === undefined || place.to > last.to) last = place
  }
  return faults
}

/**
 * Finds the place of each source of each rule.
 *
 * @param sources the sources of each rule, an empty list for a rule without one
 * @returns the places in the order of the text, those of the same words in the order of their rules; and all faults
 */
export const placeSources = (
  markdown: Markdown,
  sources: Array<Array<string>>,
): { places: Array<Place>; faults: Array<SourceFault> } => {
  const find = sourceFinder(markdown)
  const all = sources.flatMap((ofRule, rule) =>
    ofRule.map((source, index): Wanted => ({
      rule,
      index,
      source,
      ...(hasWords(source) ? find(source) : { spans: [] }),
    }))
  )
  share(all)
  chooseBetween(all)
  const places = all.flatMap(({ rule, index, source, span }) => span ? { ...span, rule, index, source } : [])
    .toSorted((one, other) => one.from - other.from || one.to - other.to || one.rule - other.rule)
  const faults = [...faultsIn(markdown, all), ...overlapsIn(markdown, places)]
  return { places, faults: faults.toSorted((one, other) => one.rule - other.rule) }
}
