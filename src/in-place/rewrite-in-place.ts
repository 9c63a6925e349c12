import type { Mode } from '../rule-schema.ts'
import { lineEndingOf } from '../text/line-ending.ts'
import { isGone, leadInWith, paragraphWith, type Rewrite, withoutRestated } from './block-text.ts'
import type { Block, Markdown } from './blocks.ts'
import {
  bareRule,
  countedUp,
  indentOf,
  type Item,
  itemsOf,
  type Marker,
  withoutLead,
  wordsOfRule,
} from './items.ts'
import { lineStart, movedUp, prefixOf, shiftLines, type Span, spliced, withoutRemoved } from './lines.ts'
import { keepsIntroduction, type Outcome, type Outcomes } from './plan.ts'
import { childrenOf, isText, type Node, NOTHING } from './tree.ts'

type Change = Span & { text: string }

/** Gives the end of a block, after its closing tag. */
const endOf = ({ to, closing }: Pick<Block, 'to' | 'closing'>): number => to + closing.length

/** Gives a paragraph, if it changes; `start` is where the item begins that holds it. */
const paragraphIn = (rewrite: Rewrite, outcome: Outcome, start: number): Array<Change> => {
  const { block, places, count } = outcome
  if (places.length === 0) return []
  const from = Math.max(lineStart(rewrite.text, block.from), start)
  const lead = rewrite.text.slice(from, block.from - (count === 0 ? block.sign.length : 0))
  const to = endOf(block)
  return [{ from, to, text: count === 0 ? lead + NOTHING : paragraphWith(rewrite, outcome, lead) }]
}

/** Lists what changes in a node. */
const changesIn = (rewrite: Rewrite, node: Node, start: number, depth: number): Array<Change> => {
  if (/List$/.test(node.name)) return [listIn(rewrite, node, depth)]
  if (node.name === 'Blockquote') {
    return childrenOf(node).flatMap((child) => changesIn(rewrite, child, start, depth + 1))
  }
  // Numbers do not go on across a heading.
  if (/Heading\d$/.test(node.name)) rewrite.numbered.clear()
  return rewrite.outcomesOf(node).flatMap((outcome) => paragraphIn(rewrite, outcome, start))
}

/**
 * Parts an item from its lines without its indentation that stand for themselves: what comes into its place stands before
 * these.
 */
const parted = (rewrite: Rewrite, item: Item): { item: Item; rest: string } => {
  const { text } = rewrite
  const columnOf = (at: number): number => at - lineStart(text, at)
  const outcomes = rewrite.outcomesOf(item.nodes[0])
  const first = outcomes.findIndex(({ block }, index) =>
    index > 0 && columnOf(block.from) < columnOf(item.start)
  )
  if (first < 0 || item.nodes.length > 1) return { item, rest: '' }
  const span = { from: endOf(outcomes[first - 1]!.block), to: item.to }
  const changes = outcomes.slice(first).flatMap((line) => paragraphIn(rewrite, line, span.from))
  return { item: { ...item, to: span.from }, rest: spliced(text, span, changes) }
}

/** Whether an item has nothing but words that no rule restates. */
const isUntouched = ({ outcomesOf }: Rewrite, { nodes }: Item): boolean =>
  nodes.length === 1 && isText(nodes[0]!)
  && outcomesOf(nodes[0]).every(({ places, rules }) => places.length === 0 && rules.length === 0)

/** Gives a list; the numbers of one that it continues, across code or text between them, go on. */
const listIn = (rewrite: Rewrite, list: Node, depth: number): Change => {
  const { text, numbered } = rewrite
  const items = itemsOf(text, list)
  const number = items[0]!.marker.number ?? Number.NaN
  const before = numbered.get(depth)
  let added = before?.next === number ? before.added : 0
  const written = items.flatMap((whole) => {
    if (added === 0 && isUntouched(rewrite, whole)) return []
    const { item, rest } = parted(rewrite, whole)
    const change = { ...whole, text: itemIn(rewrite, item, added, depth) + rest }
    added += (rewrite.outcomesOf(item.nodes[0])[0]?.count ?? 1) - 1
    return change
  })
  if (list.name === 'OrderedList') numbered.set(depth, { next: number + items.length, added })
  const span = { from: items[0]!.from, to: items.at(-1)!.to }
  return { ...span, text: spliced(text, span, written) }
}

/** Gives rules as items on lines of their own. */
const itemsWith = (
  { lineBreak, ruleAt }: Rewrite,
  rules: Array<number>,
  markerOf: (index: number) => Marker,
  prefix: string,
  [box, closing] = ['', ''],
): string =>
  rules.map((rule, index) => {
    const marker = markerOf(index)
    const words = ruleAt(rule, prefix + indentOf(marker))
    return lineBreak + prefix + marker.label + marker.end + box + words + closing
  }).join('')

/** Gives rules as items below a lead-in, like those of the list that is there. */
const itemsBelow = (rewrite: Rewrite, rules: Array<number>, item: Item, list: Node | undefined): string => {
  const { text } = rewrite
  const child = list?.name === 'BulletList' ? itemsOf(text, list)[0] : undefined
  const bullet = { label: /^[-*+]/.test(item.marker.label) ? item.marker.label : '-', end: ' ' }
  const prefix = prefixOf(text, child?.from ?? item.from) + (child === undefined ? indentOf(item.marker) : '')
  return itemsWith(rewrite, rules, () => child?.marker ?? bullet, prefix)
}

/** Gives what stands below the own words of an item: further lines, and nodes. */
const belowItem = (
  rewrite: Rewrite,
  span: Span,
  lines: Array<Outcome>,
  nodes: Array<Node>,
  depth: number,
): string =>
  spliced(rewrite.text, span, [
    ...lines.flatMap((line) => paragraphIn(rewrite, line, span.from)),
    ...nodes.flatMap((node) => changesIn(rewrite, node, span.from, depth + 1)),
  ])

/** Gives an item, or the items in its place; `added` is how many items were added before it. */
const itemIn = (rewrite: Rewrite, item: Item, added: number, depth: number): string => {
  const { text, lineBreak, ruleAt } = rewrite
  const { from, to, marker, start, nodes, list } = item
  const markerOf = (index: number) => countedUp(marker, added + index)
  const [outcome, ...lines] = rewrite.outcomesOf(nodes[0]).filter(({ block }) => block.from < to)
  const own = outcome?.block ?? { from: start, to: start, closing: '' }
  const below = nodes.slice(outcome === undefined ? 0 : 1)
  const tail = belowItem(rewrite, { from: endOf(own), to }, lines, below, depth)
  const column = from - lineStart(text, from)
  const listBelow = lines.length === 0 && /List$/.test(below[0]?.name ?? '') ? below[0] : undefined
  if (outcome?.count === 0) {
    if (nodes.every((node) => isGone(rewrite, node))) return NOTHING
    // Items of another kind would split the list: they stay with the item before.
    const isOther = listBelow !== undefined && listBelow.name !== list.name && !item.isFirst
    return NOTHING + (isOther ? tail : movedUp(tail, column))
  }
  const first = markerOf(0)
  const head = first.label + text.slice(from + marker.label.length, own.from)
  const widened = (words: string, { label }: Marker) =>
    shiftLines(words, label.length - marker.label.length, column)
  if (outcome === undefined) return widened(head + tail, first)
  const { rules: [rule, ...others], rules, stays } = outcome
  const prefix = prefixOf(text, from)
  const { closing } = own
  const box = text.slice(nodes[0]!.from, own.from).replace(/\s+/g, ' ').replace(/(?<=[^\s>])$/, ' ')
    .trimStart()
  const items = (some: Array<number>) =>
    itemsWith(rewrite, some, (index) => markerOf(index + 1), prefix, [box, closing])
  const isBare = stays === 'sentences' && outcome.count === rules.length
  const aside = isBare ? outcome.sentences.find(({ isGone }) => !isGone)! : own
  // An aside on a line of its own, such as a picture, keeps that.
  const gap = /[\r\n]\s*$/.exec(text.slice(own.from, aside.from))?.[0] ?? ' '
  const comments = isBare ? gap + withoutRestated(rewrite, outcome) : ''
  if (stays === 'nothing' || isBare) {
    const words = ruleAt(rule!, prefix + indentOf(first)).replace(/$/m, () => comments)
    return head + words + closing + items(others) + widened(tail, markerOf(others.length))
  }
  if (stays === 'sentences') {
    const rest = withoutRestated(rewrite, outcome) + closing + tail
    if (rules.length === 0 || !keepsIntroduction(outcome)) return widened(head + rest, first) + items(rules)
    const words = ruleAt(rule!, prefix + indentOf(first)) + closing + items(others)
    const last = markerOf(rules.length)
    return head + words + lineBreak + prefix + last.label + last.end + box + widened(rest, last)
  }
  const several = itemsBelow(rewrite, rules, item, listBelow)
  const leadIn = leadInWith(rewrite, outcome, prefix + indentOf(marker), several)
  return widened(head + leadIn + closing + tail, first)
}

/** Gives a rule with the reason that the file has for it, where it brings none. */
const withReason = (rule: string, reason: string | undefined): string =>
  reason === undefined || /\nReason:/.test(rule)
    ? rule
    : `${rule}\n${reason.replace(/[\r\n][\s>]*/g, '\n')}`

const LAST_BREAK = /(?:\r\n|\n|\r)+$/

/**
 * Replaces sources by their rules. All other bytes of the text stay, but for the numbers of the lists that the rules
 * join and the indentation below those.
 *
 * @param outcomes what becomes of each block
 */
export const rewriteInPlace = (
  { text, root }: Markdown,
  outcomes: Outcomes,
  rules: Array<string>,
  mode: Mode = 'balanced',
): string => {
  const lineBreak = lineEndingOf(text)
  const said = rules.map(bareRule)
  const reasons = new Map<number | undefined, string>()
  for (const { rules: standing, reason, block, leadInEnd, stays } of [...outcomes.values()].flat()) {
    const leadIn = stays === 'lead-in' ? text.slice(block.from, leadInEnd) : ''
    for (const rule of standing) {
      said[rule] = withoutLead(withoutLead(said[rule]!, block.sign, block.closing), leadIn)
    }
    if (reason !== undefined) reasons.set(standing.at(-1), text.slice(reason.from, reason.to))
  }
  const rewrite: Rewrite = {
    text,
    lineBreak,
    ruleAt: (rule, prefix) =>
      wordsOfRule(withReason(said[rule]!, reasons.get(rule)), mode, prefix, lineBreak),
    outcomesOf: (node) => outcomes.get(node?.from ?? -1) ?? [],
    numbered: new Map(),
  }
  const changes = childrenOf(root).flatMap((node) => changesIn(rewrite, node, 0, 0))
  const written = withoutRemoved(spliced(text, { from: 0, to: text.length }, changes))
  // The end has no line break where it had none before.
  return LAST_BREAK.test(text) ? written : written.replace(LAST_BREAK, '')
}
