/** Finds the words that a rule restates, by its `source`: which paragraph or list item, and where in it. */
import { NOTHING } from '../markdown/tree.ts'
import { lineNumbers } from '../text/line-ending.ts'
import type { Barred, Block, Markdown } from './blocks.ts'
import { finderOfWords, readingsOf } from './copied-words.ts'
import { hasWords, type Span } from './lines.ts'
import { sentencesOf } from './sentences.ts'

/** Where a source of a rule stands: in which block, and over which of its sentences. */
export type Place = Span & { block: Block; sentences: Span; rule: number; source: string }

type Fault =
  | { kind: 'missing' }
  | { kind: 'barred'; where: string; line: number }
  | { kind: 'ambiguous'; lines: Array<number> }

/** Why a source of a rule has no place: it is not there, stands where no rule may, or on several lines. */
export type SourceFault = { rule: number; source: string } & Fault

/** Where a source may stand; and the kind of the first part without rules in which it does. */
type Found = { candidates: Array<Omit<Place, 'rule' | 'source'>>; where: Barred | undefined }

type Finder = ReturnType<typeof finderOfWords>

/** How many places of one source are compared. */
const MAX_CANDIDATES = 100

/** Gives what finds where a source may stand: where it is whole sentences, if it is anywhere. */
const finderIn = (
  { text, mask, blocks, barred }: Markdown,
  found: Finder,
): (source: string) => Found => {
  const parts = [...blocks, ...barred].toSorted((one, other) => one.from - other.from)
  const sentencesIn = new Map<Block, Array<Span>>()
  const sentencesAt = (block: Block, { from, to }: Span): Span => {
    const sentences = sentencesIn.get(block) ?? sentencesOf(block)
    sentencesIn.set(block, sentences)
    const first = sentences.find((sentence) => from < sentence.to)
    const last = sentences.findLast((sentence) => to > sentence.from)
    return { from: first!.from, to: last!.to }
  }
  return (source) => {
    let where: Barred | undefined
    for (const reading of readingsOf(source)) {
      const places = new Map<string, Found['candidates'][number]>()
      for (const { from, to, within } of found(reading, parts)) {
        if ('kind' in within) where ??= within
        else if (mask[from] === NOTHING) where ??= { from, to, kind: 'a comment' }
        else {
          const sentences = sentencesAt(within, { from, to })
          const id = `${sentences.from} ${sentences.to}`
          if (!places.has(id)) places.set(id, { block: within, from, to, sentences })
          if (places.size > MAX_CANDIDATES) break
        }
      }
      const candidates = [...places.values()]
      const whole = candidates.filter(({ from, to, sentences }) =>
        !hasWords(text.slice(sentences.from, from) + text.slice(to, sentences.to))
      )
      if (candidates.length > 0) return { candidates: whole.length > 0 ? whole : candidates, where }
    }
    return { candidates: [], where }
  }
}

/** A source that is asked for, and whose it is. */
type Wanted = Found & { rule: number; source: string; place?: Found['candidates'][number] | undefined }

/** Chooses among the places of one source: by the order of the rules, then one that no other source has taken. */
const choose = (wanted: Wanted, all: Array<Wanted>): Wanted['place'] => {
  const at = all.indexOf(wanted)
  const before = all.slice(0, at).findLast(({ rule, place }) => place && rule < wanted.rule)?.place
  const after = all.slice(at + 1).find(({ rule, place }) => place && rule > wanted.rule)?.place
  const between = wanted.candidates.filter(({ from }) =>
    (before === undefined || from > before.from) && (after === undefined || from < after.from)
  )
  if (between.length === 1) return between[0]
  const taken = all.flatMap(({ place }) => place ?? [])
  const free = wanted.candidates.filter(({ sentences: { from, to } }) =>
    !taken.some(({ sentences }) => from < sentences.to && sentences.from < to)
  )
  return free.length === 1 ? free[0] : undefined
}

/** Shares the places of the same words among the sources that say them: the first rule gets the first one. */
const share = (wanted: Wanted, all: Array<Wanted>): Wanted['place'] => {
  const { candidates } = wanted
  const same = all.filter((other) =>
    other.candidates[0]?.from === candidates[0]?.from && other.candidates.length === candidates.length
  )
  const isEven = same.length % candidates.length === 0
  return isEven ? candidates[same.indexOf(wanted) * candidates.length / same.length | 0] : undefined
}

/**
 * Finds the place of each source of each rule in a text. Repeated words are assigned in the order of the rules.
 *
 * @param sources the sources of each rule, empty for a rule without one
 */
export const placeSources = (
  markdown: Markdown,
  sources: Array<Array<string>>,
): { places: Array<Array<Place>>; faults: Array<SourceFault> } => {
  const find = finderIn(markdown, finderOfWords(markdown.text))
  const wanted = sources.flatMap((ofRule, rule) =>
    ofRule.flatMap((source): Array<Wanted> => {
      const whole = { rule, source, ...find(source) }
      if (whole.candidates.length > 0 || whole.where !== undefined) return [whole]
      // One of several lines that are no one text stands for each of them.
      const lines = source.trim().split(/\s*[\r\n]+\s*/).map((line) => ({
        rule,
        source: line,
        ...find(line),
      }))
      return lines.every(({ candidates }) => candidates.length > 0) ? lines : [whole]
    })
  )
  for (const one of wanted) one.place = share(one, wanted)
  for (const one of wanted) one.place ??= choose(one, wanted)
  const numbers = lineNumbers(markdown.text)
  const faultOf = ({ candidates, where }: Wanted): Fault =>
    candidates.length > 0
      ? { kind: 'ambiguous', lines: candidates.map(({ from }) => numbers[from]!) }
      : where === undefined
      ? { kind: 'missing' }
      : { kind: 'barred', where: where.kind, line: numbers[where.from]! }
  const faults = wanted.filter(({ place }) => place === undefined)
    .map((one) => ({ rule: one.rule, source: one.source, ...faultOf(one) }))
  const places = sources.map((): Array<Place> => [])
  for (const { rule, source, place } of wanted) {
    if (place !== undefined) places[rule]!.push({ ...place, rule, source })
  }
  return { places, faults }
}
