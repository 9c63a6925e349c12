/** The folder `in-place/`: replaces given words of a Markdown text with rules, or adds rules to it. */
import type { Mode } from '../rule-schema.ts'
import { oneLineRegionAt, readMarkdown } from './markdown-parts.ts'
import { placeSources } from './place-sources.ts'
import { replaceSources } from './replace.ts'

export { type Addition, additionTo } from './add.ts'
export type { SourceFault } from './place-sources.ts'

/** A text with sources: words that rules replace. */
export type SourcedText = ReturnType<typeof sourcedText>

export type WordsToReplace = ReturnType<SourcedText['wordsToReplace']>[number]

/** `text` must have no byte-order mark. `sources[i]` lists the sources of rule `i`. */
export const sourcedText = (text: string, sources: Array<Array<string>>) => {
  const markdown = readMarkdown(text)
  const { replaced, faults } = placeSources(markdown, sources)
  return {
    faults,
    /** Replaces the first source of each rule with the rule's text, and removes the other sources. */
    withRules: (rules: Array<string>, mode?: Mode) => replaceSources(markdown, replaced, rules, mode),
    /** Lists the words to replace, in the order of the text. */
    wordsToReplace: () =>
      replaced.map(({ rules, insertedRules, ...span }) => ({
        text: text.slice(span.from, span.to),
        rules,
        insertedRules,
        /** `a heading` or `a table`, where the replacement must stay on one line. */
        oneLineKind: oneLineRegionAt(markdown, span)?.kind,
      })),
  }
}
