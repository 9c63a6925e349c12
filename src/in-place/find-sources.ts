/** Finds the words that a rule restates, by its `source`: which paragraph or list item, and where in it. */
import type { Barred, Block, Markdown } from './blocks.ts'
import { keyOf, Keys } from './keys.ts'
import { lineNumbersAt, type Span } from './lines.ts'
import { sentencesOf } from './sentences.ts'
import { NOTHING } from './tree.ts'

/** Where a source stands: in which block, and over which of its sentences. */
export type Place = Span & { block: Block; sentences: Span }

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
  const parts = words.split(SHORTENED).map(keyOf).filter((part) => part !== '')
  const readings = [[keyOf(source)], [keyOf(words)], ...(SHORTENED.test(words) ? [parts] : [])]
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

const ENDS = /^[.!?。！？:：;；,、"-]*$/

/** How many places of one source are compared. */
const MAX_CANDIDATES = 100

/** Where a source may stand; and the kind of the first part without rules in which it does. */
type Found = { candidates: Array<Place>; where: string | undefined }

const commentsIn = ({ from, masked }: Block): Array<Barred> =>
  [...masked.matchAll(new RegExp(`${NOTHING}+`, 'g'))].map(({ index, 0: { length } }) => ({
    from: from + index,
    to: from + index + length,
    kind: 'a comment',
  }))

/** Finds sources in a text. */
class Finder {
  readonly #text: string
  readonly #parts: Array<Block | Barred>
  readonly #keys: Keys
  readonly #sentences = new Map<Block, Array<Span>>()

  constructor({ text, blocks, barred }: Markdown) {
    this.#text = text
    this.#parts = [...blocks, ...barred, ...blocks.flatMap(commentsIn)]
    this.#keys = new Keys(text, this.#parts)
  }

  /** Finds where a source may stand: where it is whole sentences, if it is anywhere. */
  find(source: string): Found {
    let where: string | undefined
    for (const reading of readingsOf(source)) {
      const places = new Map<string, Place>()
      for (const { index, from, to } of this.#keys.find(reading)) {
        const part = this.#parts[index]!
        if ('kind' in part) {
          where ??= part.kind
          break
        }
        if (cutsWord(this.#text, from) || cutsWord(this.#text, to)) continue
        const sentences = this.#sentencesAt(part, { from, to })
        const id = `${sentences.from} ${sentences.to}`
        if (!places.has(id)) places.set(id, { block: part, from, to, sentences })
        if (places.size > MAX_CANDIDATES) break
      }
      const candidates = [...places.values()]
      const whole = reading.length === 1 ? candidates.filter((place) => this.#isWhole(place)) : []
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

  #isWhole({ from, to, sentences }: Place): boolean {
    const [before, after] = [this.#text.slice(sentences.from, from), this.#text.slice(to, sentences.to)]
    return keyOf(before) === '' && ENDS.test(keyOf(after))
  }
}

/** A source that is asked for, and whose it is. */
type Wanted = Found & { rule: number; source: string; place?: Place | undefined }

const overlap = ({ sentences: one }: Place, { sentences: other }: Place): boolean =>
  one.from < other.to && other.from < one.to

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
  const free = wanted.candidates.filter((one) => !taken.some((place) => overlap(one, place)))
  return free.length === 1 ? free[0] : undefined
}

/** Shares the places of the same words among the sources that say them: the first rule gets the first one. */
const shareOut = (wanted: Array<Wanted>): void => {
  const same = new Map<string, Array<Wanted>>()
  for (const one of wanted) {
    const key = one.candidates.map(({ from, to }) => `${from}-${to}`).join()
    same.set(key, [...(same.get(key) ?? []), one])
  }
  for (const ofWords of same.values()) {
    const { candidates } = ofWords[0]!
    const isEven = ofWords.length % candidates.length === 0
    if (isEven) {
      ofWords.forEach((one, index) => one.place = candidates[index * candidates.length / ofWords.length | 0])
    }
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
  const faults = wanted.filter(({ place }) => place === undefined).map(
    ({ rule, source, candidates, where }): SourceFault => {
      if (candidates.length > 0) {
        const lines = lineNumbersAt(markdown.text, candidates.map(({ from }) => from))
        return { rule, source, kind: 'ambiguous', lines }
      }
      return { rule, source, ...(where === undefined ? { kind: 'missing' } : { kind: 'barred', where }) }
    },
  )
  const places = sources.map((): Array<Place> => [])
  for (const { rule, place } of wanted) if (place !== undefined) places[rule]!.push(place)
  return { places, faults }
}
