import type { Mode } from '../rule-schema.ts'
import { lineEndingOf } from '../text/line-ending.ts'
import { leadInWith, paragraphWith, type Rewrite, withoutRestated } from './block-text.ts'
import { type Markdown, MAX_DEPTH } from './blocks.ts'
import { countedUp, indentOf, type Item, itemsOf, type Marker, wordsOfRule } from './items.ts'
import { lineStart, movedUp, prefixOf, shiftLines, type Span, spliced, withoutRemoved } from './lines.ts'
import type { Outcome } from './plan.ts'
import { childrenOf, type Node, NOTHING } from './tree.ts'

type Change = Span & { text: string }

type List = Span & { name: string }

/** Writes the nodes of a text with the rules in the place of their sources. */
class Writer {
  readonly #rewrite: Rewrite
  /** What becomes of the blocks of each paragraph, by its start. */
  readonly #outcomes = new Map<number, Array<Outcome>>()
  /** What follows the numbers of the last list of each depth, and how many items those lists got. */
  readonly #numbered = new Map<number, { next: number; added: number }>()

  constructor(rewrite: Rewrite, outcomes: Array<Outcome>) {
    this.#rewrite = rewrite
    for (const outcome of outcomes) {
      const { from } = outcome.block.node
      const ofNode = this.#outcomes.get(from)
      if (ofNode === undefined) this.#outcomes.set(from, [outcome])
      else ofNode.push(outcome)
    }
  }

  /** Lists what changes in a node. */
  changes(node: Node, start = 0, depth = 0): Array<Change> {
    if (depth > MAX_DEPTH) return []
    if (/List$/.test(node.name)) return [this.#list(node, depth)]
    if (node.name === 'Blockquote') {
      return childrenOf(node).flatMap((child) => this.changes(child, start, depth + 1))
    }
    // Numbers do not go on across a heading.
    if (/Heading\d$/.test(node.name)) this.#numbered.clear()
    return this.#outcomesOf(node).flatMap((outcome) => this.#paragraph(outcome, start))
  }

  #outcomesOf(node: Node | undefined): Array<Outcome> {
    return this.#outcomes.get(node?.from ?? -1) ?? []
  }

  /** @param start where the item begins that holds it */
  #paragraph(outcome: Outcome, start: number): Array<Change> {
    const { block: { from, to }, places, count } = outcome
    if (places.length === 0) return []
    const { text } = this.#rewrite
    const first = Math.max(lineStart(text, from), start)
    const lead = text.slice(first, from)
    return [{
      from: first,
      to,
      text: count === 0 ? lead + NOTHING : paragraphWith(this.#rewrite, outcome, lead),
    }]
  }

  /** Writes a list; the numbers of one that it continues, across code or text between them, go on. */
  #list(node: Node, depth: number): Change {
    const { text } = this.#rewrite
    const items = itemsOf(text, node)
    const { from, marker: { number } } = items[0]!
    const list = { from, to: items.at(-1)!.to, name: node.name }
    const before = this.#numbered.get(depth)
    let added = before !== undefined && before.next === number ? before.added : 0
    const written = items.map((item) => {
      const by = added
      added += (this.#outcomesOf(item.nodes[0])[0]?.count ?? 1) - 1
      return { ...item, text: this.#item(item, list, (index) => countedUp(item.marker, by + index), depth) }
    })
    if (number !== undefined) this.#numbered.set(depth, { next: number + items.length, added })
    return { ...list, text: spliced(text, list, written) }
  }

  /** Writes an item, or the items in its place, which have the markers of `markerOf`. */
  #item(item: Item, list: List, markerOf: (index: number) => Marker, depth: number): string {
    const { text, ruleAt } = this.#rewrite
    const { from, to, marker, start, nodes } = item
    const [outcome, ...lines] = this.#outcomesOf(nodes[0])
    const own = outcome?.block ?? { from: start, to: start }
    const below = nodes.slice(outcome === undefined ? 0 : 1)
    const tail = spliced(text, { from: own.to, to }, [
      ...lines.flatMap((line) => this.#paragraph(line, own.to)),
      ...below.flatMap((node) => this.changes(node, own.to, depth + 1)),
    ])
    const column = from - lineStart(text, from)
    const listBelow = lines.length === 0 && /List$/.test(below[0]?.name ?? '') ? below[0] : undefined
    if (outcome?.count === 0) {
      if (nodes.every((node) => this.#isGone(node))) return NOTHING
      // Items of another kind would split the list: they stay with the item before.
      const isOther = listBelow !== undefined && listBelow.name !== list.name && from !== list.from
      return NOTHING + (isOther ? tail : movedUp(tail, column))
    }
    const first = markerOf(0)
    const head = first.label + text.slice(from + marker.label.length, own.from)
    const widened = (words: string, { label }: Marker) =>
      shiftLines(words, label.length - marker.label.length, column)
    if (outcome === undefined) return widened(head + tail, first)
    const { rules: [rule, ...others], rules, stays } = outcome
    const prefix = prefixOf(text, from)
    const box = text.slice(nodes[0]!.from, own.from).replace(/\s+/g, ' ').replace(/(?<=\S)$/, ' ').trimStart()
    const itemsOfRules = (some: Array<number>) =>
      this.#items(some, (index) => markerOf(index + 1), prefix, box)
    if (stays === 'nothing') {
      return head + ruleAt(rule!, prefix + indentOf(first)) + itemsOfRules(others)
        + widened(tail, markerOf(others.length))
    }
    if (stays === 'sentences') {
      return widened(head + withoutRestated(this.#rewrite, outcome) + tail, first) + itemsOfRules(rules)
    }
    const indent = prefix + indentOf(marker)
    return widened(
      head + leadInWith(this.#rewrite, outcome, indent, this.#itemsBelow(item, rules, indent, listBelow))
        + tail,
      first,
    )
  }

  /** Gives rules as items on lines of their own. */
  #items(rules: Array<number>, markerOf: (index: number) => Marker, prefix: string, box = ''): string {
    const { lineBreak, ruleAt } = this.#rewrite
    return rules.map((rule, index) => {
      const marker = markerOf(index)
      return lineBreak + prefix + marker.label + marker.end + box + ruleAt(rule, prefix + indentOf(marker))
    }).join('')
  }

  /** Gives rules as items below a lead-in, like those that are there. */
  #itemsBelow(
    { marker: { label } }: Item,
    rules: Array<number>,
    indent: string,
    list: Node | undefined,
  ): string {
    const { text } = this.#rewrite
    const child = list?.name === 'BulletList' ? itemsOf(text, list)[0] : undefined
    const marker = child?.marker ?? { label: /^[-*+]/.test(label) ? label : '-', end: ' ' }
    return this.#items(rules, () => marker, child === undefined ? indent : prefixOf(text, child.from))
  }

  /** Whether nothing stays of a node. */
  #isGone(node: Node): boolean {
    const outcomes = this.#outcomesOf(node)
    if (outcomes.length > 0) return outcomes.every(({ count }) => count === 0)
    const children = childrenOf(node)
    return /List|quote/.test(node.name) && children.length > 0
      && children.every((child) => this.#isGone(child))
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
 * @param outcomes what becomes of each block
 */
export const rewriteInPlace = (
  { text, root }: Markdown,
  outcomes: Array<Outcome>,
  rules: Array<string>,
  mode: Mode = 'balanced',
): string => {
  const lineBreak = lineEndingOf(text)
  const ruleAt: Rewrite['ruleAt'] = (rule, prefix) => wordsOfRule(rules[rule]!, mode, prefix, lineBreak)
  const writer = new Writer({ text, lineBreak, ruleAt }, outcomes)
  const changes = childrenOf(root).flatMap((node) => writer.changes(node))
  return withLastBreak(withoutRemoved(spliced(text, { from: 0, to: text.length }, changes)), text)
}
