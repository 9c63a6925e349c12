/**
 * In place: where the words that a rule restates stand in a Markdown text, and the text with the rules in their place.
 * Pure: no file is read or written here.
 */
import { childrenOf, isText, treeOf } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { additionTo } from './add.ts'
import { barredKindOf, type Markdown, readMarkdown } from './blocks.ts'
import { placeSources, type SourceFault } from './find-sources.ts'
import { type Row, rowsOf } from './restated-parts.ts'
import { type Quoted, type Restated, restatedIn, type Unsourced, unsourcedIn } from './unsourced-words.ts'
import { rewriteInPlace } from './write.ts'

export { additionTo }
export type { Quoted, Restated, SourceFault, Unsourced }

/** A text with the places of the words that rules restate. */
export class SourcedText {
  /** The sources without a place. */
  readonly faults: Array<SourceFault>
  readonly #markdown: Markdown
  readonly #rows: Array<Row>

  /**
   * @param text a text without a byte-order mark
   * @param sources the sources of each rule, an empty list for a rule without one
   */
  constructor(text: string, sources: Array<Array<string>>) {
    this.#markdown = readMarkdown(text)
    const { places, faults } = placeSources(this.#markdown, sources)
    this.#rows = rowsOf(this.#markdown, places)
    this.faults = faults
  }

  /** Replaces the sources of each rule by its sentence; all other text stays. */
  withRules(rules: Array<string>, mode?: Mode): string {
    return rewriteInPlace(this.#markdown, this.#rows, rules, mode)
  }

  /** Lists the restated sentences; those that rules share are one. */
  restated(): Array<Restated> {
    return restatedIn(this.#markdown, this.#rows)
  }

  /** Lists what no source takes in. */
  unsourced(): Unsourced {
    return unsourcedIn(this.#markdown, this.#rows)
  }
}

/** Names the first part of some lines that is no text to Markdown; undefined where all is. */
export const kindOfBlock = (lines: string): string | undefined => {
  const node = childrenOf(treeOf(lines, 0)).find((one) => !isText(one))
  if (node === undefined) return undefined
  if (lines.startsWith('<', node.from)) return 'HTML'
  if (/List$/.test(node.name)) return 'a list'
  return node.name === 'Blockquote' ? 'a quotation' : barredKindOf(node) ?? 'a block of its own'
}
