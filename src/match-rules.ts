import { directiveOf, plainOf, tokensOf } from './directive.ts'
import { contentStems, GENERIC_VERBS, isForeign } from './negation.ts'
import type { ParsedRule } from './rule-schema.ts'

/** Which formatted rule says which parsed one, by their indexes, and what has no counterpart. */
export type Matching = {
  pairs: Array<{ parsed: number; formatted: number }>
  /** Parsed rules that nothing says. */
  dropped: Array<number>
  /** A parsed rule beyond the first that one formatted rule says. */
  merged: Array<{ parsed: number; formatted: number }>
  /** A formatted rule beyond the first that says one parsed rule. */
  split: Array<{ parsed: number; formatted: number }>
  /** Formatted rules that say no parsed one. */
  added: Array<number>
}

/** Below this share of common words two rules have nothing to do with each other. */
const RELATED = 0.2

/** From this share of a target's words on, a text speaks of that target. */
const COVERED = 0.6

/** Where there are many rules, a word in more than a few of them does not make two worth comparing. */
const MANY_RULES = 200
const MAX_COMMON = 50

type Candidate = { parsed: number; formatted: number; likeness: number }

/** Compares rules by the words that they share, a word counting the more the fewer rules have it. */
class Likeness {
  readonly #parsed: Array<Set<string>>
  readonly #targets: Array<Array<string>>
  readonly #contexts: Array<Array<string>>
  readonly #formatted: Array<Set<string>>
  readonly #places = new Map<string, Array<number>>()

  constructor(parsed: Array<ParsedRule>, formatted: Array<string>) {
    this.#parsed = parsed.map(({ action, target, context = '' }) => {
      const stems = contentStems(`${action} ${target} ${context}`)
      const telling = stems.filter((stem) => !GENERIC_VERBS.has(stem))
      return new Set(telling.length > 0 ? telling : stems)
    })
    this.#targets = parsed.map(({ target }) => contentStems(target))
    this.#contexts = parsed.map(({ target, context = '' }) => contentStems(`${target} ${context}`))
    this.#formatted = formatted.map((rule) => new Set(contentStems(directiveOf(rule))))
    this.#parsed.forEach((stems, index) => {
      for (const stem of stems) {
        const places = this.#places.get(stem)
        if (places === undefined) this.#places.set(stem, [index])
        else places.push(index)
      }
    })
  }

  #placesOf(stem: string): Array<number> {
    return this.#places.get(stem) ?? []
  }

  #weigh(stems: Iterable<string>): number {
    let weight = 0
    for (const stem of stems) {
      weight += Math.log(1 + (this.#parsed.length + 1) / (this.#placesOf(stem).length || 1))
    }
    return weight
  }

  /** The share of words that two rules have in common: 0 for none, 1 for all. */
  between(parsed: number, formatted: number): number {
    const [one, other] = [this.#parsed[parsed]!, this.#formatted[formatted]!]
    const shared = [...one].filter((stem) => other.has(stem))
    return shared.length === 0 ? 0 : (2 * this.#weigh(shared)) / (this.#weigh(one) + this.#weigh(other))
  }

  /**
   * The share of a target's words that a formatted rule has, with its context or, as that may be reworded, without;
   * words of the rule that it says already count nothing.
   */
  coverage(parsed: number, formatted: number, already?: number): number {
    const [target, all] = [this.#targets[parsed]!, this.#contexts[parsed]!]
    const isNew = (stem: string) => already === undefined || !this.#parsed[already]!.has(stem)
    const [ownTarget, own] = [target.filter(isNew), all.filter(isNew)]
    const share = this.#share(own.length > 0 ? own : all, formatted)
    return ownTarget.length > 0 ? Math.max(share, this.#share(ownTarget, formatted)) : share
  }

  #share(words: Array<string>, formatted: number): number {
    const said = this.#formatted[formatted]!
    return words.length === 0 ? 0 : this.#weigh(words.filter((stem) => said.has(stem))) / this.#weigh(words)
  }

  /** The pairs that share a telling word. */
  candidates(): Array<Candidate> {
    const limit = this.#parsed.length > MANY_RULES ? MAX_COMMON : this.#parsed.length
    return this.#formatted.flatMap((stems, formatted) => {
      const parsed = new Set(
        [...stems].map((stem) => this.#placesOf(stem)).filter(({ length }) => length <= limit).flat(),
      )
      return [...parsed].map((index) => ({
        parsed: index,
        formatted,
        likeness: this.between(index, formatted),
      }))
    })
  }
}

/** With this many telling words on both sides a rule that was only reworded would keep one of them. */
const MANY_WORDS = 4

/** How much of a word two forms of it share: `validate` and `validation`. */
const SHARED_LETTERS = 4

const beginnings = (text: string): Set<string> =>
  new Set(
    contentStems(text).filter((stem) => !GENERIC_VERBS.has(stem)).map((stem) =>
      stem.slice(0, SHARED_LETTERS)
    ),
  )

/** Whether two rules, their reasons included, say so much without one word in common that neither is the other. */
const areStrangers = ({ action, target, context = '', reason }: ParsedRule, formatted: string): boolean => {
  const text = formatted.replace(/^\W*(?:rule|reason)\W*:/gim, '')
  if (isForeign(tokensOf(plainOf(text)))) return false
  const one = beginnings(`${action} ${target} ${context} ${reason}`)
  const other = beginnings(text)
  return Math.min(one.size, other.size) >= MANY_WORDS && ![...one].some((stem) => other.has(stem))
}

/** The last of the candidates with the highest value, if it reaches `least`. */
const bestOf = (
  candidates: Array<Candidate>,
  least: number,
  value: (one: Candidate) => number,
): Candidate | undefined =>
  candidates
    .map((one) => ({ one, value: value(one) }))
    .reduce<{ one: Candidate | undefined; value: number }>(
      (top, each) => each.value >= top.value ? each : top,
      {
        one: undefined,
        value: least,
      },
    ).one

const groupBy = (
  candidates: Array<Candidate>,
  key: 'parsed' | 'formatted',
): Map<number, Array<Candidate>> => {
  const groups = new Map<number, Array<Candidate>>()
  for (const candidate of candidates) {
    const group = groups.get(candidate[key])
    if (group === undefined) groups.set(candidate[key], [candidate])
    else group.push(candidate)
  }
  return groups
}

/**
 * Finds for each parsed rule the formatted one that says it: the most alike first, then by their order. What is left
 * is told apart: a rule whose target another one's text covers is merged, a text that covers a target again is split,
 * and two that are left over are taken for each other, reworded, unless they say much and have no word in common.
 *
 * Near-linear: only rules that share a telling word are compared.
 */
export const matchRules = (parsed: Array<ParsedRule>, formatted: Array<string>): Matching => {
  const likeness = new Likeness(parsed, formatted)
  const candidates = likeness.candidates()
    .filter((candidate) => candidate.likeness > 0)
    .sort((a, b) =>
      b.likeness - a.likeness || Math.abs(a.parsed - a.formatted) - Math.abs(b.parsed - b.formatted)
    )
  const said = new Set<number>()
  const heard = new Map<number, number>()
  const matching: Matching = { pairs: [], dropped: [], merged: [], split: [], added: [] }
  const pair = (one: { parsed: number; formatted: number }) => {
    matching.pairs.push({ parsed: one.parsed, formatted: one.formatted })
    said.add(one.parsed)
    heard.set(one.formatted, one.parsed)
  }
  for (const candidate of candidates) {
    if (candidate.likeness < RELATED) break
    if (!said.has(candidate.parsed) && !heard.has(candidate.formatted)) pair(candidate)
  }

  const coverage = ({ parsed, formatted }: Candidate) =>
    likeness.coverage(parsed, formatted, heard.get(formatted))
  const ofParsed = groupBy(candidates, 'parsed')
  const ofFormatted = groupBy(candidates, 'formatted')
  const unsaid: Array<number> = []
  const unheard: Array<number> = []
  parsed.forEach((_, index) => {
    if (said.has(index)) return
    const covering = bestOf(ofParsed.get(index) ?? [], COVERED, coverage)
    if (covering === undefined) unsaid.push(index)
    else matching.merged.push({ parsed: index, formatted: covering.formatted })
  })
  formatted.forEach((_, index) => {
    if (heard.has(index)) return
    const covered = bestOf(
      ofFormatted.get(index) ?? [],
      COVERED / 2,
      (one) => Math.max(one.likeness, coverage(one)),
    )
    if (covered === undefined) unheard.push(index)
    else matching.split.push({ parsed: covered.parsed, formatted: index })
  })
  unsaid.forEach((index, place) => {
    const reworded = unheard[place]
    if (reworded === undefined) matching.dropped.push(index)
    else if (areStrangers(parsed[index]!, formatted[reworded]!)) {
      matching.dropped.push(index)
      matching.added.push(reworded)
    } else pair({ parsed: index, formatted: reworded })
  })
  matching.added.push(...unheard.slice(unsaid.length))
  return matching
}
