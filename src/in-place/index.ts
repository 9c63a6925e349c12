/**
 * In place: where the words that a rule restates stand in a Markdown text, and the text with the rules in their place.
 * Pure: no file is read or written here.
 */
import type { Mode } from '../rule-schema.ts'
import { type Block, type Markdown, readMarkdown, type Span } from './blocks.ts'
import { type Place, placeSources, type SourceFault } from './find-sources.ts'
import { type Outcome, planOutcomes } from './plan.ts'
import { type Remaining, remainingLines } from './remaining.ts'
import { rewriteInPlace } from './rewrite-in-place.ts'

export type { Remaining, SourceFault }

/** Sentences of a text, and the indexes of the rules that restate them. */
export type Restated = { text: string; rules: Array<number> }

/** A text with the places of the words that rules restate. */
export class SourcedText {
  /** The sources without a place. */
  readonly faults: Array<SourceFault>
  readonly #markdown: Markdown
  readonly #places: Array<Array<Place>>
  readonly #outcomes: Map<Block, Outcome>

  /**
   * @param text a text without a byte-order mark
   * @param sources the sources of each rule, an empty list for a rule without one
   */
  constructor(text: string, sources: Array<Array<string>>) {
    this.#markdown = readMarkdown(text)
    const { places, faults } = placeSources(this.#markdown, sources)
    this.faults = faults
    this.#places = places
    this.#outcomes = planOutcomes(this.#markdown, places)
  }

  /** Replaces the sources of each rule by its sentence; all other text stays. */
  withRules(rules: Array<string>, mode?: Mode): string {
    return rewriteInPlace(this.#markdown, this.#outcomes, rules, mode)
  }

  /** Lists the restated sentences; those that rules share are one. */
  restated(): Array<Restated> {
    const parts = [...this.#outcomes.values()].flatMap(({ block, sentences }) => {
      const joined: Array<Span & { rules: Array<number> }> = []
      const all = this.#places.flatMap((places, rule) =>
        places.filter((place) => place.block === block).map(({ from, to }) => {
          const within = sentences.filter((sentence) => from < sentence.to && sentence.from < to)
          return { from: within[0]?.from ?? from, to: within.at(-1)?.to ?? to, rules: [rule] }
        })
      )
      for (const one of all.toSorted((a, b) => a.from - b.from)) {
        const last = joined.at(-1)
        if (last !== undefined && one.from < last.to) {
          last.to = Math.max(last.to, one.to)
          last.rules.push(...one.rules)
        } else joined.push(one)
      }
      return joined
    })
    return parts.map(({ from, to, rules }) => ({
      text: this.#markdown.text.slice(from, to).trim(),
      rules: [...new Set(rules)],
    }))
  }

  /** Lists the lines that no rule restates; `orders` says whether a sentence orders something. */
  remaining(orders: (sentence: string) => boolean): Remaining {
    return remainingLines(this.#markdown, this.#outcomes, orders)
  }
}
