import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { type Span, trimmed } from './lines.ts'
import { childrenOf, isText, type Node } from './tree.ts'

/** What an item begins with: `- `, `3. ` or `c) `; `end` has the spaces. */
export type Bullet = { label: string; end: string }

/** The marker of an item in a text. */
export type Marker = Span & Bullet

/** An item of a list: its marker, and the nodes after that; the first one may be its own text. */
export type Item = Span & { marker: Marker; nodes: Array<Node> }

const NUMBERED = /^(\d{1,9}|[a-z])([.)]\s*)$/

/** Reads the items of a list. */
export const itemsOf = (text: string, list: Node): Array<Item> =>
  childrenOf(list).map((item) => {
    const { from, to } = item.firstChild!
    const nodes = childrenOf(item)
    const words = nodes[0] !== undefined && isText(nodes[0]) ? nodes[0].from : to
    const raw = text.slice(from, to) + /^[ \t]*/.exec(text.slice(to, words))![0]
    const bullet = raw.trimEnd()
    const [, label = bullet, end = raw.slice(bullet.length)] = NUMBERED.exec(raw) ?? []
    const marker = { from, to: from + raw.length, label, end: /\s$/.test(end) ? end : `${end} ` }
    return { from, to: trimmed(text, item).to, marker, nodes }
  })

/** Gives the spaces that the lines below a marker begin with. */
export const indentOf = ({ label, end }: Bullet): string =>
  end.includes('\t') ? '\t' : `${label}${end}`.replace(/\S/g, ' ')

/** Gives the number of a marker, or the code of its letter; NaN for a bullet. */
export const numberOf = ({ label }: Marker): number =>
  /\d/.test(label) ? Number(label) : /[a-z]/.test(label) ? label.charCodeAt(0) : Number.NaN

const LAST_LETTER = 'z'.charCodeAt(0)

const withNumber = (marker: Marker, number: number): Marker => ({
  ...marker,
  label: /\d/.test(marker.label) ? String(number) : String.fromCharCode(Math.min(number, LAST_LETTER)),
})

/**
 * Gives for each item of a list the markers of the items in its place, at least one. Numbers that count up go on;
 * others stay.
 *
 * @param counts how many items replace each one
 * @param added how many items were added before the first one
 */
export const newMarkers = (
  markers: Array<Marker>,
  counts: Array<number>,
  added = 0,
): Array<Array<Marker>> => {
  const first = numberOf(markers[0]!)
  const isCounting = markers.every((marker, index) => numberOf(marker) === first + index)
  let next = first + added
  return markers.map((marker, index) => {
    const start = next
    next += counts[index]!
    return Array.from(
      { length: Math.max(counts[index]!, 1) },
      (_, more) => isCounting ? withNumber(marker, start + more) : marker,
    )
  })
}

/** Gives the lines of a rule as they stand in a list item: without `Rule:`, in concise without a reason. */
export const linesOfRule = (rule: string, mode: Mode): Array<string> => {
  const words = withLineFeeds(rule).trim().replace(/^- +/, '').replace(/^Rule:[ \t]*/, '')
  return (mode === 'concise' ? words.replace(/\s*\nReason:[^]*/, '') : words).split('\n')
}

/** Joins the lines of a rule; all but the first begin with a prefix. */
export const joinLines = (lines: Array<string>, prefix: string, lineBreak = '\n'): string =>
  lines.map((line, index) => index === 0 ? line : (prefix + line).trimEnd()).join(lineBreak)
