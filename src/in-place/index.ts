/**
 * In place: where the words that a rule restates stand in a Markdown text, and the text with the rules in their place.
 * Pure: no file is read or written here.
 */
import type { Mode } from '../rule-schema.ts'
import { type Markdown, readMarkdown } from './blocks.ts'
import { placeSources, type SourceFault } from './find-sources.ts'
import { type Outcomes, planOutcomes } from './plan.ts'
import { type Remaining, remainingLines, type Restated, restatedParts, unsourcedParts } from './remaining.ts'
import { rewriteInPlace } from './rewrite-in-place.ts'

export { itemsAfter } from './items.ts'
export type { Remaining, Restated, SourceFault }

/** A text with the places of the words that rules restate. */
export class SourcedText {
  /** The sources without a place. */
  readonly faults: Array<SourceFault>
  readonly #markdown: Markdown
  readonly #outcomes: Outcomes

  /**
   * @param text a text without a byte-order mark
   * @param sources the sources of each rule, an empty list for a rule without one
   */
  constructor(text: string, sources: Array<Array<string>>) {
    this.#markdown = readMarkdown(text)
    const { places, faults } = placeSources(this.#markdown, sources)
    this.faults = faults
    this.#outcomes = planOutcomes(this.#markdown, places)
  }

  /** Replaces the sources of each rule by its sentence; all other text stays. */
  withRules(rules: Array<string>, mode?: Mode): string {
    return rewriteInPlace(this.#markdown, this.#outcomes, rules, mode)
  }

  /** Lists the restated sentences; those that rules share are one. */
  restated(): Array<Restated> {
    return restatedParts(this.#markdown, this.#outcomes)
  }

  /** Lists the parts of restated sentences that no source has. */
  unsourced(): Array<Restated> {
    return unsourcedParts(this.#markdown, this.#outcomes)
  }

  /** Lists the lines that no rule restates; `orders` says whether a sentence orders something. */
  remaining(orders: (sentence: string) => boolean): Remaining {
    return remainingLines(this.#markdown, this.#outcomes, orders)
  }
}
