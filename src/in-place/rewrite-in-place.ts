import type { Mode } from '../rule-schema.ts'
import { lineEndingOf } from '../text/line-ending.ts'
import { afterLeadIn, paragraphWith, type Rewrite, spliced, withoutRestated } from './block-text.ts'
import type { Block, Item, List, Markdown, Part } from './blocks.ts'
import { type Bullet, indentOf, joinLines, linesOfRule, type Marker, newMarkers, numberOf } from './items.ts'
import { lineStart, prefixOf, shiftLines, type Span, withoutRemoved } from './lines.ts'
import type { Outcome } from './plan.ts'
import { NOTHING } from './tree.ts'

/** Counts the items that replace one. */
const countOf = (outcome: Outcome | undefined): number => {
  if (outcome === undefined || outcome.stays === 'lead-in') return 1
  return outcome.rules.length + (outcome.stays === 'nothing' ? 0 : 1)
}

/** Writes the parts of a text with the rules in the place of their sources. */
class Writer {
  readonly #rewrite: Rewrite
  readonly #outcomes: Map<Block, Outcome>
  /** What follows the numbers of the last list of each depth, and how many items those lists got. */
  readonly #numbered = new Map<number, { next: number; added: number }>()

  constructor(rewrite: Rewrite, outcomes: Map<Block, Outcome>) {
    this.#rewrite = rewrite
    this.#outcomes = outcomes
  }

  /** Writes a span of the text with the parts in it. */
  parts(parts: Array<Part>, span: Span): string {
    const { text } = this.#rewrite
    const written = parts.map((part, index) => {
      if ('items' in part) return { ...part, text: this.#list(part) }
      // Numbers do not go on across a heading.
      if ('kind' in part && part.kind === 'a heading') this.#numbered.clear()
      const outcome = 'masked' in part ? this.#outcomes.get(part) : undefined
      if (outcome === undefined) return { ...part, text: text.slice(part.from, part.to) }
      const from = Math.max(lineStart(text, part.from), parts[index - 1]?.to ?? span.from)
      const lead = text.slice(from, part.from)
      return {
        from,
        to: part.to,
        text: countOf(outcome) === 0 ? lead + NOTHING : paragraphWith(this.#rewrite, outcome, lead),
      }
    })
    return spliced(text, span, written)
  }

  /** Writes a list; the numbers of one that it continues, across code or text between them, go on. */
  #list(list: List): string {
    const { items, isOrdered, depth } = list
    const counts = items.map(({ block }) => countOf(this.#outcomeOf(block)))
    const markers = items.map(({ marker }) => marker)
    const before = this.#numbered.get(depth)
    const added = before?.next === numberOf(markers[0]!) ? before.added : 0
    const ofItems = newMarkers(markers, counts, added)
    const written = items.map((item, index) => ({
      from: item.marker.from,
      to: item.to,
      text: this.#item(item, list, ofItems[index]!),
    }))
    if (isOrdered) {
      const grown = counts.reduce((sum, count) => sum + count - 1, added)
      this.#numbered.set(depth, { next: numberOf(markers.at(-1)!) + 1, added: grown })
    }
    return spliced(this.#rewrite.text, list, written)
  }

  /** Writes an item, or the items in its place, by their markers. */
  #item(item: Item, list: List, markers: Array<Marker>): string {
    const { text, ruleAt } = this.#rewrite
    const { marker, box, block, below, to } = item
    const own = block ?? { from: marker.to, to: marker.to }
    const tail = this.parts(below, { from: own.to, to })
    const outcome = this.#outcomeOf(block)
    if (countOf(outcome) === 0) return NOTHING + (this.#isGone(item) ? '' : this.#movedUp(tail, item, list))
    const [first = marker, ...others] = markers
    const head = first.label + text.slice(marker.from + marker.label.length, own.from)
    const column = marker.from - lineStart(text, marker.from)
    const widened = (words: string, { label }: Marker) =>
      shiftLines(words, label.length - marker.label.length, column)
    if (outcome === undefined) return widened(head + text.slice(own.from, own.to) + tail, first)
    const prefix = prefixOf(text, marker.from)
    const { rules, stays } = outcome
    if (stays === 'lead-in') return widened(head + this.#afterLeadIn(outcome, item, prefix) + tail, first)
    if (stays === 'sentences') {
      return widened(head + withoutRestated(this.#rewrite, outcome) + tail, first)
        + this.#items(rules, others, prefix, box)
    }
    const [rule, ...more] = rules
    return head + ruleAt(rule!, prefix + indentOf(first)) + this.#items(more, others, prefix, box)
      + widened(tail, markers.at(-1)!)
  }

  /** Gives rules as items on lines of their own. */
  #items(rules: Array<number>, markers: Array<Bullet>, prefix: string, box = ''): string {
    const { lineBreak, ruleAt } = this.#rewrite
    return rules.map((rule, index) => {
      const marker = markers[index]!
      return lineBreak + prefix + marker.label + marker.end + box + ruleAt(rule, prefix + indentOf(marker))
    }).join('')
  }

  /** Gives the lead-in of an item with its rules: one on its line, several below it, like items that are there. */
  #afterLeadIn(outcome: Outcome, { marker, below: [first] }: Item, prefix: string): string {
    const { text, ruleAt } = this.#rewrite
    const { rules } = outcome
    const indent = prefix + indentOf(marker)
    const child = first !== undefined && 'items' in first && !first.isOrdered
      ? first.items[0]!.marker
      : undefined
    const bullet = child ?? { label: /^[-*+]/.test(marker.label) ? marker.label : '-', end: ' ' }
    const several = () =>
      this.#items(rules, rules.map(() => bullet), child === undefined ? indent : prefixOf(text, child.from))
    const one = () => rules[0] === undefined ? '' : ruleAt(rules[0], indent)
    return afterLeadIn(this.#rewrite, outcome, rules.length > 1 ? several() : one())
  }

  /** Moves what stands below an item without words up to its place. */
  #movedUp(tail: string, { marker, below: [first] }: Item, list: List): string {
    const { text } = this.#rewrite
    const column = marker.from - lineStart(text, marker.from)
    const indent = /^[ \t]*/.exec(text.slice(lineStart(text, first!.from) + column))![0].length
    // Items of another kind would split the list: they stay with the item before.
    const isOther = 'items' in first! && first.isOrdered !== list.isOrdered
      && marker !== list.items[0]!.marker
    return isOther ? tail : shiftLines(tail, -indent, column)
  }

  /** Whether nothing stays of a part. */
  #isGone(part: Part | Item): boolean {
    if ('items' in part) return part.items.every((item) => this.#isGone(item))
    if ('below' in part) {
      return part.block !== null && this.#isGone(part.block) && part.below.every((one) => this.#isGone(one))
    }
    return 'masked' in part && countOf(this.#outcomeOf(part)) === 0
  }

  #outcomeOf(block: Block | null): Outcome | undefined {
    return block === null ? undefined : this.#outcomes.get(block)
  }
}

const LAST_BREAK = /(?:\r\n|\n|\r)+$/

/** Ends a text with a line break if, and only if, it had one before. */
const withLastBreak = (text: string, before: string): string => {
  const [had, has] = [before, text].map((one) => LAST_BREAK.test(one))
  if (had === has || before === '') return text
  return had ? text + lineEndingOf(before) : text.replace(LAST_BREAK, '')
}

/**
 * Replaces sources by their rules. All other bytes of the text stay, but for the numbers of the lists that the rules
 * join and the indentation below those.
 *
 * @param outcomes how the blocks with sources change
 */
export const rewriteInPlace = (
  { text, parts }: Markdown,
  outcomes: Map<Block, Outcome>,
  rules: Array<string>,
  mode: Mode = 'balanced',
): string => {
  const lineBreak = lineEndingOf(text)
  const lines = rules.map((rule) => linesOfRule(rule, mode))
  const ruleAt: Rewrite['ruleAt'] = (rule, prefix) => joinLines(lines[rule]!, prefix, lineBreak)
  const writer = new Writer({ text, lineBreak, ruleAt }, outcomes)
  return withLastBreak(withoutRemoved(writer.parts(parts, { from: 0, to: text.length })), text)
}
