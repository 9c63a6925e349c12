/** The folder `in-place/`: replaces given words of a Markdown text with rules, or adds rules to it. */
import type { Mode } from '../rule-schema.ts'
import { type Markdown, oneLineRegionAt, readMarkdown } from './markdown-parts.ts'
import { placeSources, type ReplacedSpan, type SourceFault } from './place-sources.ts'
import { replaceSources, type RewrittenText } from './replace.ts'

export { type Addition, additionTo } from './add.ts'
export type { SourceFault }

export type WordsToReplace = Pick<ReplacedSpan, 'rules' | 'insertedRules'> & {
  text: string
  /** `a heading` or `a table`, where the replacement must stay on one line. */
  oneLineKind: string | undefined
}

/** A text with sources: words that rules replace. */
export class SourcedText {
  readonly faults: Array<SourceFault>
  readonly #markdown: Markdown
  readonly #spans: Array<ReplacedSpan>

  /** `text` must have no byte-order mark, and `sources` lists the sources of each rule. */
  constructor(text: string, sources: Array<Array<string>>) {
    this.#markdown = readMarkdown(text)
    const { replaced, faults } = placeSources(this.#markdown, sources)
    this.#spans = replaced
    this.faults = faults
  }

  /** Replaces the first source of each rule with the rule's text, and removes the other sources. */
  withRules(rules: Array<string>, mode?: Mode): RewrittenText {
    return replaceSources(this.#markdown, this.#spans, rules, mode)
  }

  /** Lists the words that the sources refer to, in the order of the text. */
  wordsToReplace(): Array<WordsToReplace> {
    return this.#spans.map(({ rules, insertedRules, ...span }) => ({
      text: this.#markdown.text.slice(span.from, span.to),
      rules,
      insertedRules,
      oneLineKind: oneLineRegionAt(this.#markdown, span)?.kind,
    }))
  }
}
