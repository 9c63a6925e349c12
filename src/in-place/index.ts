/**
 * The room `in-place/`: exact words → their place in a Markdown text → the text with rules in their place. Pure: no file is read or
 * written here.
 */
import type { Mode } from '../rule-schema.ts'
import { type Markdown, overlapping, readMarkdown } from './markdown-parts.ts'
import { type Place, placeSources, type SourceFault } from './place-sources.ts'
import { type Replaced, replaceSources } from './replace.ts'

export { type Addition, additionTo } from './add.ts'
export type { SourceFault }

/** Words that rules replace, the indexes of these rules, and the kind of the one line in which they stand, if in one. */
export type ReplacedWords = { text: string; rules: Array<number>; oneLine: string | undefined }

/** A text with the places of the words that rules replace. */
export class SourcedText {
  /** The sources without a place. */
  readonly faults: Array<SourceFault>
  readonly #markdown: Markdown
  readonly #places: Array<Place>

  /**
   * @param text a text without a byte-order mark
   * @param sources the sources of each rule, an empty list for a rule without one
   */
  constructor(text: string, sources: Array<Array<string>>) {
    this.#markdown = readMarkdown(text)
    const { places, faults } = placeSources(this.#markdown, sources)
    this.#places = places
    this.faults = faults
  }

  /** Replaces the sources of each rule by its text; all other text stays. */
  withRules(rules: Array<string>, mode?: Mode): Replaced {
    return replaceSources(this.#markdown, this.#places, rules, mode)
  }

  /** Lists the replaced words; those that rules share are listed once. */
  replaced(): Array<ReplacedWords> {
    const { text, oneLine } = this.#markdown
    const found = new Map<number, ReplacedWords>()
    for (const place of this.#places) {
      const { from, to, rule } = place
      const line = overlapping(oneLine, place).find((one) => from >= one.from && to <= one.to)
      const words = found.get(from) ?? { text: text.slice(from, to), rules: [], oneLine: line?.kind }
      words.rules.push(rule)
      found.set(from, words)
    }
    return [...found.values()]
  }
}
