import type { Mode } from '../rule-schema.ts'
import { inLineEnding, type LineEnding, lineEndingOf } from '../text/line-ending.ts'
import type { Block, Item, List, Markdown, Span } from './blocks.ts'
import { afterLeadIn, cutSentences } from './cut-sentences.ts'
import { applyEdits, type Edit } from './edits.ts'
import { beginsLine, endOfLine, lineStart, nextLine, prefixOf, withBlankLines } from './lines.ts'
import { indentOf, type Marker, markerOf, newMarkers, numberOf } from './markers.ts'
import { paragraphEdits } from './paragraph-edits.ts'
import { isReplaced, type Outcome } from './plan.ts'
import { joinLines, linesOfRule } from './rule-lines.ts'

/** Counts the items that replace one. */
const countOf = (outcome: Outcome | undefined): number =>
  outcome === undefined
    ? 1
    : isReplaced(outcome)
    ? outcome.rules.length
    : 1 + (outcome.isWhole ? 0 : outcome.rules.length)

/** Writes the rules of a plan into a text, as a list of edits. */
class Writer {
  readonly #edits: Array<Edit> = []
  /** Whole lines to remove. */
  readonly #removed: Array<Span> = []
  /** Items to insert after an item and all that stays below it. */
  readonly #siblings: Array<{ at: number; text: string; depth: number }> = []
  readonly #text: string
  readonly #lineEnding: LineEnding
  readonly #rules: Array<Array<string>>
  readonly #outcomes: Map<Block, Outcome>
  readonly #headings: Array<Span>
  /** The last list of numbers of each depth: where it ends, with which number, and how many items it got. */
  readonly #numbered = new Map<number, { to: number; number: number; added: number }>()

  constructor({ text, barred }: Markdown, rules: Array<Array<string>>, outcomes: Map<Block, Outcome>) {
    this.#text = text
    this.#headings = barred.filter(({ kind }) => kind === 'a heading')
    this.#lineEnding = lineEndingOf(text)
    this.#rules = rules
    this.#outcomes = outcomes
  }

  /** Replaces each item of a list by its rules. */
  list(list: List): void {
    const counts = list.items.map((item) => this.#isVanishing(item) ? 0 : countOf(this.#outcomeOf(item)))
    const markers = newMarkers(this.#text, list, counts, this.#added(list, counts))
    list.items.forEach((item, index) => {
      const outcome = this.#outcomeOf(item)
      if (outcome !== undefined && countOf(outcome) === 0) this.#removeItem(item, list)
      else this.#item(item, outcome, markers[index]!)
    })
  }

  /** Counts the items added to the numbered list that this one continues, across code or text between them. */
  #added(list: List, counts: Array<number>): number {
    const [first, last] = [list.items[0]!, list.items.at(-1)!]
    const before = this.#numbered.get(first.depth)
    const isNext = list.isOrdered && before !== undefined && before.number + 1 === numberOf(this.#text, first)
      && !this.#headings.some(({ from }) => before.to < from && from < first.from)
    const added = isNext ? before.added : 0
    if (list.isOrdered) {
      const grown = counts.reduce((sum, count) => sum + count - 1, added)
      this.#numbered.set(first.depth, { to: last.to, number: numberOf(this.#text, last), added: grown })
    }
    return added
  }

  /** Replaces a paragraph, or some of its sentences, by its rules. */
  paragraph(outcome: Outcome): void {
    const { block, rules } = outcome
    if (rules.length === 0 && isReplaced(outcome)) return this.#removeLines(block.from, block)
    const edits = paragraphEdits(this.#text, outcome, (rule, prefix) => this.#ruleAt(rule, prefix))
    for (const { text, ...span } of edits) this.#edit(span, text, block.depth)
  }

  /** Gives all edits. */
  edits(): Array<Edit> {
    const removed = withBlankLines(this.#text, this.#removed)
    for (const { at, text, depth } of this.#siblings) {
      const gone = removed.find(({ from, to }) => from < at && at <= to)
      const end = gone === undefined ? at : endOfLine(this.#text, gone.from)
      this.#edit({ from: end, to: end }, text, depth)
    }
    return [...this.#edits, ...removed.map((span) => ({ ...span, text: '', depth: 0 }))]
  }

  #item(item: Item, outcome: Outcome | undefined, markers: Array<Marker>): void {
    const own = markerOf(this.#text, item)
    const { marker, depth } = item
    const first = markers[0]!
    if (first.label !== own.label) {
      this.#edit({ from: marker.from, to: marker.from + own.label.length }, first.label, depth)
    }
    const isNew = outcome !== undefined && isReplaced(outcome)
    const shift = (isNew ? markers.at(-1)! : first).label.length - own.label.length
    const column = marker.from - lineStart(this.#text, marker.from)
    if (shift !== 0) {
      this.#edits.push({ from: isNew ? item.block!.to : marker.to, to: item.to, shift, column, depth })
    }
    if (outcome === undefined) return
    const prefix = prefixOf(this.#text, marker.from)
    const itemsOf = (rules: Array<number>, from: number) =>
      rules.map((rule, index) => {
        const at = markers[from + index]!
        return `\n${prefix}${at.label}${at.end}${item.box}${this.#ruleAt(rule, prefix + indentOf(at))}`
      }).join('')
    const { block, rules } = outcome
    if (isNew) {
      const [head = 0, ...rest] = rules
      this.#edit(block, this.#ruleAt(head, prefix + indentOf(first)) + itemsOf(rest, 1), depth + 1)
    } else if (outcome.isWhole) {
      const indent = prefix + indentOf(own)
      const several = rules.length > 1 ? this.#itemsBelow(item, rules, indent) : undefined
      const { text, ...span } = afterLeadIn(
        this.#text,
        outcome,
        several ?? (rules[0] === undefined ? '' : this.#ruleAt(rules[0], indent)),
      )
      this.#edit(span, text, block.depth)
    } else {
      for (const { text, ...span } of cutSentences(this.#text, outcome)) this.#edit(span, text, block.depth)
      this.#siblings.push({ at: item.to, text: itemsOf(rules, 1), depth })
    }
  }

  /** Gives the items below a lead-in, in the form of those that stand there already. */
  #itemsBelow({ marker, below }: Item, rules: Array<number>, indent: string): string {
    const child = below?.list?.isOrdered === false ? below.list.items[0] : undefined
    const bullet = /^[-*+]/.exec(this.#text.slice(marker.from))?.[0] ?? '-'
    const { label, end } = child === undefined ? { label: bullet, end: ' ' } : markerOf(this.#text, child)
    const prefix = child === undefined ? indent : prefixOf(this.#text, child.marker.from)
    const lines = rules.map((rule) => label + end + this.#ruleAt(rule, prefix + indentOf({ label, end })))
    return lines.map((line) => `\n${prefix}${line}`).join('')
  }

  /** Removes an item without words; what is below it moves up to its place. */
  #removeItem(item: Item, list: List): void {
    const { marker, depth, block, below } = item
    if (this.#isVanishing(item)) return this.#removeLines(marker.from, item)
    const [start, belowStart] = [lineStart(this.#text, marker.from), lineStart(this.#text, below!.from)]
    if (!beginsLine(this.#text, marker.from) || belowStart === start) return this.#edit(block!, '', depth)
    this.#removed.push({ from: start, to: nextLine(this.#text, block!.to) })
    // Items of another kind would split the list: they stay with the item before.
    const isOther = below!.list !== null && below!.list.isOrdered !== list.isOrdered && item !== list.items[0]
    const column = marker.from - start
    const shift = column - (below!.from - belowStart)
    if (shift < 0 && !isOther) this.#edits.push({ from: belowStart, to: item.to, shift, column, depth })
  }

  /** Whether nothing stays of an item and of what is below it. */
  #isVanishing(item: Item): boolean {
    const outcome = this.#outcomeOf(item)
    const isBelowGone = item.below === null
      || item.below.isAll && item.below.list?.items.every((one) => this.#isVanishing(one)) === true
    return outcome !== undefined && countOf(outcome) === 0 && isBelowGone
  }

  #removeLines(at: number, { from, to }: Span): void {
    if (!beginsLine(this.#text, at)) return this.#edit({ from, to }, '', 0)
    this.#removed.push({ from: lineStart(this.#text, at), to: nextLine(this.#text, to) })
  }

  #outcomeOf({ block }: Item): Outcome | undefined {
    return block === null ? undefined : this.#outcomes.get(block)
  }

  #ruleAt(rule: number, prefix: string): string {
    return joinLines(this.#rules[rule]!, prefix)
  }

  #edit({ from, to }: Span, text: string, depth: number): void {
    this.#edits.push({ from, to, text: inLineEnding(text, this.#lineEnding), depth })
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
  markdown: Markdown,
  outcomes: Map<Block, Outcome>,
  rules: Array<string>,
  mode: Mode = 'balanced',
): string => {
  const { text, lists } = markdown
  const writer = new Writer(markdown, rules.map((rule) => linesOfRule(rule, mode)), outcomes)
  for (const list of lists) writer.list(list)
  for (const outcome of outcomes.values()) if (outcome.block.item === null) writer.paragraph(outcome)
  return withLastBreak(applyEdits(text, writer.edits()), text)
}
