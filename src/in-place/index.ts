/**
 * In place: where the words that a rule restates stand in a Markdown text, and the text with the rules in their place.
 * Pure: no file is read or written here.
 */
import type { Mode } from '../rule-schema.ts'
import { type Block, type Markdown, readMarkdown } from './blocks.ts'
import { placeSources, type SourceFault } from './find-sources.ts'
import { indentOf, itemsOf, joinLines, linesOfRule, newMarkers } from './items.ts'
import { lineStart, type Span } from './lines.ts'
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
  readonly #outcomes: Map<Block, Outcome>

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
    const { text } = this.#markdown
    return [...this.#outcomes.values()].flatMap(({ sentences, places }) => {
      const parts: Array<Span & { rules: Array<number> }> = []
      for (const { from, to } of sentences.filter(({ isGone }) => isGone)) {
        const restating = places.filter((place) => place.from < to && from < place.to)
        const rules = restating.map(({ rule }) => rule)
        const last = parts.at(-1)
        if (last !== undefined && restating.some((place) => place.from < last.to)) {
          last.to = to
          last.rules.push(...rules)
        } else parts.push({ from, to, rules })
      }
      return parts.map(({ from, to, rules }) => ({ text: text.slice(from, to), rules: [...new Set(rules)] }))
    })
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
  const markers = itemsOf(text, list).map(({ marker }) => marker)
  const { from } = markers[0]!
  const prefix = text.slice(lineStart(text, from), from)
  const counts = markers.map((_, index) => index === markers.length - 1 ? 1 + rules.length : 1)
  const [, ...added] = newMarkers(markers, counts).at(-1)!
  return rules.map((rule, index) => {
    const marker = added[index]!
    const lines = joinLines(linesOfRule(rule, mode), prefix + indentOf(marker))
    return `${prefix}${marker.label}${marker.end}${lines}\n`
  }).join('')
}
