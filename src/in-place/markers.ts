import type { Item, List } from './blocks.ts'

/** What an item begins with: `- `, `3. ` or `c) `; `end` has the spaces. */
export type Marker = { label: string; end: string }

const NUMBERED = /^(\d{1,9}|[a-z])([.)]\s*)$/

/** Reads the marker of an item. */
export const markerOf = (text: string, { marker }: Item): Marker => {
  const raw = text.slice(marker.from, marker.to)
  const bullet = raw.trimEnd()
  const [, label = bullet, end = raw.slice(bullet.length)] = NUMBERED.exec(raw) ?? []
  return { label, end: /\s$/.test(end) ? end : `${end} ` }
}

/** Gives the spaces that the lines below a marker begin with. */
export const indentOf = ({ label, end }: Marker): string =>
  end.includes('\t') ? '\t' : `${label}${end}`.replace(/\S/g, ' ')

const isNumber = ({ label }: Marker): boolean => /\d/.test(label)

const valueOf = (marker: Marker): number =>
  isNumber(marker) ? Number(marker.label) : marker.label.charCodeAt(0)

/** Gives the number of an item, or the code of its letter. */
export const numberOf = (text: string, item: Item): number => valueOf(markerOf(text, item))

const LAST_LETTER = 'z'.charCodeAt(0)

const withNumber = (marker: Marker, number: number): Marker => ({
  ...marker,
  label: isNumber(marker) ? String(number) : String.fromCharCode(Math.min(number, LAST_LETTER)),
})

/**
 * Gives for each item of a list the markers of the items in its place, at least one. Numbers that count up go on;
 * others stay.
 *
 * @param counts how many items replace each one
 * @param added how many items were added before the first one
 */
export const newMarkers = (
  text: string,
  { isOrdered, items }: List,
  counts: Array<number>,
  added = 0,
): Array<Array<Marker>> => {
  const markers = items.map((item) => markerOf(text, item))
  const first = valueOf(markers[0]!)
  const isCounting = isOrdered && markers.every((marker, index) => valueOf(marker) === first + index)
  let next = first + added
  return markers.map((marker, index) => {
    const count = counts[index]!
    const start = next
    next += count
    return Array.from(
      { length: Math.max(count, 1) },
      (_, more) => isCounting ? withNumber(marker, start + more) : marker,
    )
  })
}

/** Gives the markers of items that are added at the end of a list. */
export const markersAfter = (text: string, list: List, count: number): Array<Marker> => {
  const counts = list.items.map((_, index) => index === list.items.length - 1 ? 1 + count : 1)
  return newMarkers(text, list, counts).at(-1)!.slice(1)
}
