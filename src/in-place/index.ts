/**
 * The room `in-place/`: exact words → their place in a Markdown text → the text with rules in their place. Pure: no file is read or
 * written here.
 */
import type { Mode } from '../rule-schema.ts'
import { type Markdown, oneLineAt, readMarkdown } from './markdown-parts.ts'
import { type Place, placeSources, type SourceFault } from './place-sources.ts'
import { type Replaced, replaceSources } from './replace.ts'

export { type Addition, additionTo } from './add.ts'
export type { SourceFault }

/**
 * Words that rules replace, and the indexes of these rules; `standing` has those whose text stands there, `oneLine` the
 * kind of the one line in which the words stand, if in one.
 */
export type ReplacedWords = {
  text: string
  rules: Array<number>
  standing: Array<number>
  oneLine: string | undefined
}

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
    const { text } = this.#markdown
    const found = new Map<number, ReplacedWords>()
    for (const place of this.#places) {
      const { from, to, rule, index } = place
      const oneLine = oneLineAt(this.#markdown, place)?.kind
      const words = found.get(from) ?? { text: text.slice(from, to), rules: [], standing: [], oneLine }
      words.rules.push(rule)
      if (index === 0) words.standing.push(rule)
      found.set(from, words)
    }
    return [...found.values()]
  }
}
