/** Finds the words that a rule restates, by its `source`: which paragraph or list item, and where in it. */
import type { Block, Markdown, Span } from './blocks.ts'
import { groupBy } from './group-by.ts'
import { keyOf, keyOfWords, Keys } from './keys.ts'
import { sentencesOf } from './sentences.ts'

/** Where a source stands: in which block, and over which of its sentences, by their indexes. */
export type Place = Span & { block: Block; first: number; last: number }

type Fault =
  | { kind: 'missing' }
  | { kind: 'barred'; where: string }
  | { kind: 'ambiguous'; lines: Array<number> }

/** Why a source of a rule has no place: it is not there, stands where no rule may, or on several lines. */
export type SourceFault = { rule: number; source: string } & Fault

/** The places of each rule's sources, in the order of the rules; none for a rule without a source. */
export type Placed = { places: Array<Array<Place>>; faults: Array<SourceFault> }

const MARKERS =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|[a-z][.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:\p{Extended_Pictographic}\uFE0F?[ \t]*)*/gmu

const SHORTENED = /(?:…|\.{3})+/

/** Lists the ways to read a source: as it stands, without markers, with its ellipses standing for any words. */
const readingsOf = (source: string): Array<Array<string>> => {
  const words = source.replace(MARKERS, '')
  const parts = words.split(SHORTENED).map(keyOfWords).filter((part) => part !== '')
  const readings = [[keyOfWords(source)], [keyOfWords(words)], ...(SHORTENED.test(words) ? [parts] : [])]
  return readings.filter(([first = '']) => first !== '')
}

// Scripts without spaces between words: there a word may begin and end anywhere.
const WORD = /[\p{L}\p{N}]/u
const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

const cutsWord = (text: string, at: number): boolean => {
  const [before = '', after = ''] = [text[at - 1], text[at]]
  return [before, after].every((unit) => WORD.test(unit) && !NO_SPACES.test(unit))
}

/** How many places of one source are compared. */
const MAX_CANDIDATES = 100

const ENDS = /[.!?。！？:：;；,、"-]+$/

const lineOf = (text: string, at: number): number => text.slice(0, at).split(/\r\n?|\n/).length

/** Finds the places of sources in a text. */
export class SourceFinder {
  readonly #markdown: Markdown
  readonly #blocks: Keys
  readonly #barred: Keys
  readonly #sentences = new Map<Block, Array<Span>>()

  constructor(markdown: Markdown) {
    const { text, blocks, barred } = markdown
    this.#markdown = markdown
    this.#blocks = new Keys(text, blocks)
    this.#barred = new Keys(text, [...barred, ...blocks.flatMap(({ comments }) => comments)])
  }

  /** Lists the places where a source may stand; those that are whole sentences, if there are any. */
  candidates(source: string): Array<Place> {
    for (const reading of readingsOf(source)) {
      const places = new Map<string, Place>()
      for (const { index, from, to } of this.#blocks.find(reading)) {
        const { text } = this.#markdown
        if (cutsWord(text, from) || cutsWord(text, to)) continue
        const place = this.#toPlace(this.#markdown.blocks[index]!, { from, to })
        const id = `${index} ${place.first} ${place.last}`
        if (!places.has(id)) places.set(id, place)
        if (places.size > MAX_CANDIDATES) break
      }
      const found = [...places.values()]
      const whole = reading.length === 1 ? found.filter((place) => this.#isWhole(place, reading[0]!)) : []
      if (found.length > 0) return whole.length > 0 ? whole : found
    }
    return []
  }

  /** Says why a source has no place among the blocks. */
  whyMissing(source: string): Fault {
    for (const reading of readingsOf(source)) {
      const [found] = this.#barred.find(reading)
      const where = found && this.#markdown.barred[found.index]?.kind
      if (found) return { kind: 'barred', where: where ?? 'a comment' }
    }
    return { kind: 'missing' }
  }

  lineOf(place: Place): number {
    return lineOf(this.#markdown.text, place.from)
  }

  sentencesOf(block: Block): Array<Span> {
    const known = this.#sentences.get(block) ?? sentencesOf(block)
    this.#sentences.set(block, known)
    return known
  }

  #toPlace(block: Block, { from, to }: Span): Place {
    const sentences = this.sentencesOf(block)
    const first = sentences.findIndex((sentence) => from < sentence.to)
    const last = sentences.findLastIndex((sentence) => to > sentence.from)
    return { block, from, to, first, last }
  }

  #isWhole({ block, first, last }: Place, key: string): boolean {
    const sentences = this.sentencesOf(block)
    const span = { from: sentences[first]!.from, to: sentences[last]!.to }
    const { key: whole } = keyOf(this.#markdown.text, span, block.comments)
    return whole.replace(ENDS, '') === key.replace(ENDS, '')
  }
}

/** A source that is asked for: whose it is, and where it may stand. */
type Wanted = { rule: number; source: string; candidates: Array<Place>; place?: Place | undefined }

const overlaps = (one: Place, other: Place): boolean =>
  one.block === other.block && one.first <= other.last && other.first <= one.last

/** Chooses among the places of one source: by the order of the rules, then one that no other source has taken. */
const choose = (wanted: Wanted, all: Array<Wanted>): Place | undefined => {
  const at = all.indexOf(wanted)
  const before = all.slice(0, at).findLast(({ rule, place }) => place && rule < wanted.rule)?.place
  const after = all.slice(at + 1).find(({ rule, place }) => place && rule > wanted.rule)?.place
  const between = wanted.candidates.filter(({ from }) =>
    (before === undefined || from > before.from) && (after === undefined || from < after.from)
  )
  if (between.length === 1) return between[0]
  const taken = all.flatMap(({ place }) => place ?? [])
  const free = wanted.candidates.filter((one) => !taken.some((place) => overlaps(one, place)))
  return free.length === 1 ? free[0] : undefined
}

/** Shares places among sources of the same words: the first rule gets the first one. */
const shareOut = (same: Array<Wanted>): void => {
  const { candidates } = same[0]!
  const isEven = same.length % candidates.length === 0
  if (isEven) {
    same.forEach((one, index) => one.place = candidates[index * candidates.length / same.length | 0])
  }
}

/**
 * Finds the place of each source of each rule in a text. Repeated words are assigned in the order of the rules.
 *
 * @param sources the sources of each rule, empty for a rule without one
 */
export const placeSources = (
  markdown: Markdown,
  sources: Array<Array<string>>,
  finder = new SourceFinder(markdown),
): Placed => {
  const found = new Map<string, Array<Place>>()
  const wanted = sources.flatMap((ofRule, rule) =>
    ofRule.map((source): Wanted => {
      const candidates = found.get(source) ?? finder.candidates(source)
      found.set(source, candidates)
      return { rule, source, candidates, place: candidates.length === 1 ? candidates[0] : undefined }
    })
  )
  const repeated = groupBy(
    wanted.filter(({ candidates }) => candidates.length > 1),
    ({ candidates }) => candidates.map(({ from, to }) => `${from}-${to}`).join(),
  )
  for (const same of repeated.values()) shareOut(same)
  const open = () => wanted.filter(({ place, candidates }) => place === undefined && candidates.length > 1)
  for (const one of open()) one.place = choose(one, wanted)
  const places = sources.map((_, rule) =>
    wanted.flatMap((one) => one.rule === rule && one.place !== undefined ? [one.place] : [])
  )
  const faults = wanted.filter(({ place }) => place === undefined).map(({ rule, source, candidates }) => ({
    rule,
    source,
    ...(candidates.length === 0
      ? finder.whyMissing(source)
      : { kind: 'ambiguous' as const, lines: candidates.map((place) => finder.lineOf(place)) }),
  }))
  return { places, faults }
}
