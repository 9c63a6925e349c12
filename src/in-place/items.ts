import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { readMarkdown } from './blocks.ts'
import { lineStart, type Span, trimmed } from './lines.ts'
import { SERIES } from './numerals.ts'
import { childrenOf, isText, type Node } from './tree.ts'

/**
 * What an item begins with: `- `, `3. ` or `c) `. `end` has the spaces; `number` is there where the labels of the list
 * count up, for letters and numerals as an index of their `series`.
 */
export type Marker = {
  label: string
  end: string
  number?: number | undefined
  series?: Array<string> | undefined
}

/** An item of a list: its marker, the offset after that, and its nodes; the first one may be its own text. */
export type Item = Span & { list: Node; isFirst: boolean; marker: Marker; start: number; nodes: Array<Node> }

const NUMBERED = /^(\w+)([.)]\s*)$/

const itemOf = (text: string, list: Node, node: Node, isFirst: boolean): Item => {
  const { from, to } = node.firstChild!
  const nodes = childrenOf(node)
  const words = nodes[0] !== undefined && isText(nodes[0]) ? nodes[0].from : to
  const raw = text.slice(from, to) + /^[ \t]*/.exec(text.slice(to, words))![0]
  const bullet = raw.trimEnd()
  const [, label = bullet, end = raw.slice(bullet.length)] = NUMBERED.exec(raw) ?? []
  const marker = { label, end: /\s$/.test(end) ? end : `${end} ` }
  return { from, to: trimmed(text, node).to, list, isFirst, marker, start: from + raw.length, nodes }
}

/** Reads the items of a list. */
export const itemsOf = (text: string, list: Node): Array<Item> => {
  const items = childrenOf(list).map((node, index) => itemOf(text, list, node, index === 0))
  const series = SERIES.find((one) => one.includes(items[0]!.marker.label))
  const numbers = items.map(({ marker: { label } }) => series?.indexOf(label) ?? Number.parseInt(label))
  const isCounting = numbers.every((number, index) => number === numbers[0]! + index)
  return isCounting
    ? items.map((item, index) => ({ ...item, marker: { ...item.marker, number: numbers[index], series } }))
    : items
}

/** Counts a marker up, where its list counts. */
export const countedUp = (marker: Marker, by: number): Marker => {
  if (marker.number === undefined) return marker
  const number = marker.number + by
  return { ...marker, label: marker.series?.[number] ?? String(number) }
}

/** Gives the spaces that the lines below a marker begin with. */
export const indentOf = ({ label, end }: Marker): string =>
  end.includes('\t') ? '\t' : `${label}${end}`.replace(/\S/g, ' ')

// What a rule may be sent with: a marker, a box, a label. An item has a marker of its own, and a box where it had one.
const SENT_WITH =
  /^(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:(?:Rule:|(\*\*|__)Rule(?::\1|\1:))[ \t]*)?/
const BOLD_REASON = /\n[ \t]*(\*\*|__)Reason(?::\1|\1:)[ \t]*/

/** Gives the words of a rule and its reason, lines ended by `\n`, without what it was sent with. */
export const bareRule = (rule: string): string =>
  withLineFeeds(rule).trim().replace(SENT_WITH, '').replace(BOLD_REASON, '\nReason: ')

const withoutEnd = (words: string, end: string): string =>
  end !== '' && words.endsWith(end) ? words.slice(0, -end.length).trimEnd() : words

/** Gives the words of a rule without a sign, a lead-in or a closing tag that they repeat, whatever its emphasis. */
export const withoutLead = (words: string, lead: string, tag = ''): string => {
  let at = 0
  for (const sign of lead.replace(/[*_\s\uFE0F]+/g, '')) {
    while (/[*_\s\uFE0F]/.test(words[at] ?? '')) at++
    if (!words.startsWith(sign, at)) return words
    at += sign.length
  }
  const closing = at === 0 ? '' : /^(?:[*_]+(?=\s)|\uFE0F)?/.exec(words.slice(at))![0]
  const repeated = words.slice(0, at) + closing
  const rest = withoutEnd(words.slice(repeated.length).trimStart(), tag.trim())
  const isWhole = !/[*_]/.test(repeated.replace(/(\*\*|__|[*_])[^*_]+\1/g, ''))
  return rest !== '' && isWhole ? rest : words
}

/**
 * Gives the words of a rule as they stand in a list item, in concise without a reason.
 *
 * @param words as `bareRule` gives them
 * @param prefix what its lines but the first begin with
 */
export const wordsOfRule = (words: string, mode: Mode, prefix: string, lineBreak = '\n'): string => {
  const shown = mode === 'concise' ? words.replace(/\s*\nReason:[^]*/, '') : words
  const [first = '', ...lines] = shown.split('\n')
  return [first, ...lines.map((line) => (prefix + line).trimEnd())].join(lineBreak)
}

/** Gives rules as further items of the list that a text ends with, lines ended by `\n`; null where it ends with none. */
export const itemsAfter = (text: string, rules: Array<string>, mode: Mode = 'balanced'): string | null => {
  const list = readMarkdown(text).root.lastChild
  if (list === null || !/List$/.test(list.name)) return null
  const { from, marker: last } = itemsOf(text, list).at(-1)!
  const prefix = text.slice(lineStart(text, from), from)
  return rules.map((rule, index) => {
    const marker = countedUp(last, index + 1)
    return `${prefix}${marker.label}${marker.end}${
      wordsOfRule(bareRule(rule), mode, prefix + indentOf(marker))
    }\n`
  }).join('')
}
