import type { Mode } from '../rule-schema.ts'
import { lineEndingOf } from '../text/line-ending.ts'
import { afterLeadIn, paragraphWith, type Rewrite, withoutRestated } from './block-text.ts'
import { type Block, type Markdown, MAX_DEPTH } from './blocks.ts'
import {
  type Bullet,
  indentOf,
  type Item,
  itemsOf,
  joinLines,
  linesOfRule,
  type Marker,
  newMarkers,
  numberOf,
} from './items.ts'
import { lineStart, movedUp, prefixOf, shiftLines, type Span, spliced, withoutRemoved } from './lines.ts'
import type { Outcome } from './plan.ts'
import { childrenOf, type Node, NOTHING } from './tree.ts'

type Change = Span & { text: string }

/** Writes the nodes of a text with the rules in the place of their sources. */
class Writer {
  readonly #rewrite: Rewrite
  readonly #outcomes: Map<Block, Outcome>
  /** The blocks of each paragraph, by its start. */
  readonly #blocks = new Map<number, Array<Block>>()
  /** What follows the numbers of the last list of each depth, and how many items those lists got. */
  readonly #numbered = new Map<number, { next: number; added: number }>()

  constructor(rewrite: Rewrite, blocks: Array<Block>, outcomes: Map<Block, Outcome>) {
    this.#rewrite = rewrite
    this.#outcomes = outcomes
    for (const block of blocks) {
      const { from } = block.node
      this.#blocks.set(from, this.#blocks.get(from) ?? [])
      this.#blocks.get(from)!.push(block)
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
    return this.#paragraphs(this.#blocksOf(node), start)
  }

  #blocksOf(node: Node | undefined): Array<Block> {
    return this.#blocks.get(node?.from ?? -1) ?? []
  }

  /** @param start where the item begins that holds them */
  #paragraphs(blocks: Array<Block>, start: number): Array<Change> {
    const { text } = this.#rewrite
    return blocks.flatMap((block) => {
      const outcome = this.#outcomes.get(block)
      if (outcome === undefined) return []
      const from = Math.max(lineStart(text, block.from), start)
      const lead = text.slice(from, block.from)
      const written = outcome.count === 0 ? lead + NOTHING : paragraphWith(this.#rewrite, outcome, lead)
      return [{ from, to: block.to, text: written }]
    })
  }

  /** Writes a list; the numbers of one that it continues, across code or text between them, go on. */
  #list(list: Node, depth: number): Change {
    const { text } = this.#rewrite
    const items = itemsOf(text, list)
    const markers = items.map(({ marker }) => marker)
    const counts = items.map(({ nodes: [own] }) => {
      const [block] = this.#blocksOf(own)
      return (block && this.#outcomes.get(block))?.count ?? 1
    })
    const before = this.#numbered.get(depth)
    const added = before?.next === numberOf(markers[0]!) ? before.added : 0
    const ofItems = newMarkers(markers, counts, added)
    const written = items.map((item, index) => ({
      ...item,
      text: this.#item(item, list, ofItems[index]!, depth),
    }))
    if (list.name === 'OrderedList') {
      const grown = counts.reduce((sum, count) => sum + count - 1, added)
      this.#numbered.set(depth, { next: numberOf(markers.at(-1)!) + 1, added: grown })
    }
    const span = { from: items[0]!.from, to: items.at(-1)!.to }
    return { ...span, text: spliced(text, span, written) }
  }

  /** Writes an item, or the items in its place, by their markers. */
  #item({ marker, nodes, to }: Item, list: Node, markers: Array<Marker>, depth: number): string {
    const { text, ruleAt } = this.#rewrite
    const [block, ...lines] = this.#blocksOf(nodes[0])
    const own = block ?? { from: marker.to, to: marker.to }
    const below = nodes.slice(block === undefined ? 0 : 1)
    const tail = spliced(text, { from: own.to, to }, [
      ...this.#paragraphs(lines, own.to),
      ...below.flatMap((node) => this.changes(node, own.to, depth + 1)),
    ])
    const outcome = block && this.#outcomes.get(block)
    const column = marker.from - lineStart(text, marker.from)
    if (outcome?.count === 0) {
      if (nodes.every((node) => this.#isGone(node))) return NOTHING
      // Items of another kind would split the list: they stay with the item before.
      const isOther = lines.length === 0 && /List$/.test(below[0]!.name) && below[0]!.name !== list.name
        && marker.from !== itemsOf(text, list)[0]!.from
      return NOTHING + (isOther ? tail : movedUp(tail, column))
    }
    const [first = marker, ...others] = markers
    const head = first.label + text.slice(marker.from + marker.label.length, own.from)
    const widened = (words: string, { label }: Marker) =>
      shiftLines(words, label.length - marker.label.length, column)
    if (outcome === undefined) return widened(head + text.slice(own.from, own.to) + tail, first)
    const prefix = prefixOf(text, marker.from)
    const box = text.slice(nodes[0]!.from, own.from).replace(/\s+/g, ' ').replace(/(?<=\S)$/, ' ').trimStart()
    const { rules, stays } = outcome
    if (stays === 'lead-in') {
      return widened(
        head + this.#afterLeadIn(outcome, marker, lines.length === 0 ? below[0] : undefined) + tail,
        first,
      )
    }
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
  #afterLeadIn(outcome: Outcome, marker: Marker, below: Node | undefined): string {
    const { text, ruleAt } = this.#rewrite
    const { rules } = outcome
    const indent = prefixOf(text, marker.from) + indentOf(marker)
    const child = below?.name === 'BulletList' ? itemsOf(text, below)[0]!.marker : undefined
    const bullet = child ?? { label: /^[-*+]/.test(marker.label) ? marker.label : '-', end: ' ' }
    const prefix = child === undefined ? indent : prefixOf(text, child.from)
    const several = () => this.#items(rules, rules.map(() => bullet), prefix)
    const one = () => rules[0] === undefined ? '' : ruleAt(rules[0], indent)
    return afterLeadIn(this.#rewrite, outcome, rules.length > 1 ? several() : one())
  }

  /** Whether nothing stays of a node. */
  #isGone(node: Node): boolean {
    const blocks = this.#blocksOf(node)
    if (blocks.length > 0) return blocks.every((block) => this.#outcomes.get(block)?.count === 0)
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
 * @param outcomes how the blocks with sources change
 */
export const rewriteInPlace = (
  { text, root, blocks }: Markdown,
  outcomes: Map<Block, Outcome>,
  rules: Array<string>,
  mode: Mode = 'balanced',
): string => {
  const lineBreak = lineEndingOf(text)
  const lines = rules.map((rule) => linesOfRule(rule, mode))
  const ruleAt: Rewrite['ruleAt'] = (rule, prefix) => joinLines(lines[rule]!, prefix, lineBreak)
  const writer = new Writer({ text, lineBreak, ruleAt }, blocks, outcomes)
  const changes = childrenOf(root).flatMap((node) => writer.changes(node))
  return withLastBreak(withoutRemoved(spliced(text, { from: 0, to: text.length }, changes)), text)
}
