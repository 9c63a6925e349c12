/**
 * In place: where the words that a rule restates stand in a Markdown text, and the text with the rules in their place.
 * Pure: no file is read or written here.
 */
import type { Mode } from '../rule-schema.ts'
import { type Markdown, readMarkdown } from './blocks.ts'
import { placeSources, type SourceFault } from './find-sources.ts'
import { countedUp, indentOf, itemsOf, wordsOfRule } from './items.ts'
import { lineStart, type Span } from './lines.ts'
import { type Outcomes, planOutcomes } from './plan.ts'
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
    const parts: Array<Span & { rules: Set<number> }> = []
    for (const { sentences, places } of [...this.#outcomes.values()].flat()) {
      for (const { from, to } of sentences.filter(({ isGone }) => isGone)) {
        const restating = places.filter((place) => place.from < to && from < place.to)
        const last = parts.at(-1)
        const isShared = last !== undefined && restating.some((place) => place.from < last.to)
        const part = isShared ? last : { from, to, rules: new Set<number>() }
        if (!isShared) parts.push(part)
        part.to = to
        for (const { rule } of restating) part.rules.add(rule)
      }
    }
    const { text } = this.#markdown
    return parts.map(({ from, to, rules }) => ({ text: text.slice(from, to), rules: [...rules] }))
  }

  /** Lists the lines that no rule restates; `orders` says whether a sentence orders something. */
  remaining(orders: (sentence: string) => boolean): Remaining {
    return remainingLines(this.#markdown, this.#outcomes, orders)
  }
}

/** Gives rules as further items of the list that a text ends with, lines ended by `\n`; null where it ends with none. */
export const itemsAfter = (text: string, rules: Array<string>, mode: Mode = 'balanced'): string | null => {
  const list = readMarkdown(text).root.lastChild
  if (list === null || !/List$/.test(list.name)) return null
  const items = itemsOf(text, list)
  const { from, marker: last } = items.at(-1)!
  const prefix = text.slice(lineStart(text, from), from)
  return rules.map((rule, index) => {
    const marker = countedUp(last, index + 1)
    return `${prefix}${marker.label}${marker.end}${wordsOfRule(rule, mode, prefix + indentOf(marker))}\n`
  }).join('')
}
