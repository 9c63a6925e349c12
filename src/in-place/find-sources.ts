/** Finds the words that a rule restates, by its `source`: which paragraph or list item, and where in it. */
import type { Barred, Block, Markdown } from './blocks.ts'
import { lineNumbers, type Span } from './lines.ts'
import { sentencesOf } from './sentences.ts'
import { findWithin, readingsOf } from './source-pattern.ts'
import { NOTHING } from './tree.ts'

/** Where a source of a rule stands: in which block, and over which of its sentences. */
export type Place = Candidate & { rule: number }

type Candidate = Span & { block: Block; sentences: Span }

type Fault =
  | { kind: 'missing' }
  | { kind: 'barred'; where: string }
  | { kind: 'ambiguous'; lines: Array<number> }

/** Why a source of a rule has no place: it is not there, stands where no rule may, or on several lines. */
export type SourceFault = { rule: number; source: string } & Fault

/** The places of each rule's sources, in the order of the rules; none for a rule without a source. */
export type Placed = { places: Array<Array<Place>>; faults: Array<SourceFault> }

/** How many places of one source are compared. */
const MAX_CANDIDATES = 100

/** Where a source may stand; and the kind of the first part without rules in which it does. */
type Found = { candidates: Array<Candidate>; where: string | undefined }

/** Finds sources in a text. */
class Finder {
  readonly #markdown: Markdown
  readonly #parts: Array<Block | Barred>
  readonly #sentences = new Map<Block, Array<Span>>()

  constructor(markdown: Markdown) {
    this.#markdown = markdown
    this.#parts = [...markdown.blocks, ...markdown.barred].toSorted((one, other) => one.from - other.from)
  }

  /** Finds where a source may stand: where it is whole sentences, if it is anywhere. */
  find(source: string): Found {
    const { text, mask } = this.#markdown
    let where: string | undefined
    for (const reading of readingsOf(source)) {
      const places = new Map<string, Candidate>()
      for (const { within, ...span } of findWithin(text, reading, this.#parts)) {
        if ('kind' in within || mask[span.from] === NOTHING) {
          where ??= 'kind' in within ? within.kind : 'a comment'
          continue
        }
        const sentences = this.#sentencesAt(within, span)
        const id = `${sentences.from} ${sentences.to}`
        if (!places.has(id)) places.set(id, { block: within, ...span, sentences })
        if (places.size > MAX_CANDIDATES) break
      }
      const candidates = [...places.values()]
      const whole = candidates.filter((place) => reading.length === 1 && this.#isWhole(place))
      if (candidates.length > 0) return { candidates: whole.length > 0 ? whole : candidates, where }
    }
    return { candidates: [], where }
  }

  #sentencesAt(block: Block, { from, to }: Span): Span {
    const sentences = this.#sentences.get(block) ?? sentencesOf(block)
    this.#sentences.set(block, sentences)
    const first = sentences.find((sentence) => from < sentence.to)
    const last = sentences.findLast((sentence) => to > sentence.from)
    return { from: first!.from, to: last!.to }
  }

  #isWhole({ from, to, sentences }: Candidate): boolean {
    const { text } = this.#markdown
    return !/[\p{L}\p{N}]/u.test(text.slice(sentences.from, from) + text.slice(to, sentences.to))
  }
}

/** A source that is asked for, and whose it is. */
type Wanted = Found & { rule: number; source: string; place?: Candidate | undefined }

const overlap = ({ sentences: one }: Candidate, { sentences: other }: Candidate): boolean =>
  one.from < other.to && other.from < one.to

/** Chooses among the places of one source: by the order of the rules, then one that no other source has taken. */
const choose = (wanted: Wanted, all: Array<Wanted>): Candidate | undefined => {
  const at = all.indexOf(wanted)
  const before = all.slice(0, at).findLast(({ rule, place }) => place && rule < wanted.rule)?.place
  const after = all.slice(at + 1).find(({ rule, place }) => place && rule > wanted.rule)?.place
  const between = wanted.candidates.filter(({ from }) =>
    (before === undefined || from > before.from) && (after === undefined || from < after.from)
  )
  if (between.length === 1) return between[0]
  const taken = all.flatMap(({ place }) => place ?? [])
  const free = wanted.candidates.filter((one) => !taken.some((place) => overlap(one, place)))
  return free.length === 1 ? free[0] : undefined
}

/** Shares the places of the same words among the sources that say them: the first rule gets the first one. */
const shareOut = (wanted: Array<Wanted>): void => {
  const idOf = ({ candidates }: Wanted) => candidates.map(({ from, to }) => `${from}-${to}`).join()
  for (const one of wanted) {
    const same = wanted.filter((other) => idOf(other) === idOf(one))
    const { length } = one.candidates
    if (same.length % length === 0) one.place = one.candidates[same.indexOf(one) * length / same.length | 0]
  }
}

/**
 * Finds the place of each source of each rule in a text. Repeated words are assigned in the order of the rules.
 *
 * @param sources the sources of each rule, empty for a rule without one
 */
export const placeSources = (markdown: Markdown, sources: Array<Array<string>>): Placed => {
  const finder = new Finder(markdown)
  const known = new Map<string, Found>()
  const wanted = sources.flatMap((ofRule, rule) =>
    ofRule.map((source): Wanted => {
      const found = known.get(source) ?? finder.find(source)
      known.set(source, found)
      return { rule, source, ...found }
    })
  )
  shareOut(wanted)
  for (const one of wanted) one.place ??= choose(one, wanted)
  const numbers = lineNumbers(markdown.text)
  const faultOf = ({ candidates, where }: Wanted): Fault =>
    candidates.length > 0
      ? { kind: 'ambiguous', lines: candidates.map(({ from }) => numbers[from]!) }
      : where === undefined
      ? { kind: 'missing' }
      : { kind: 'barred', where }
  const faults = wanted.filter(({ place }) => place === undefined)
    .map((one) => ({ rule: one.rule, source: one.source, ...faultOf(one) }))
  const places = sources.map((): Array<Place> => [])
  for (const { rule, place } of wanted) if (place !== undefined) places[rule]!.push({ ...place, rule })
  return { places, faults }
}
