/** Reduces texts to the characters that formatters leave alone, to compare a text before and after formatting. */
import type { Span } from '../../text/changed-range.ts'

/** The characters that formatters leave alone, and their offsets in the whole text. */
export type BareText = { text: string; at: Int32Array }

const SPACE = 32
const [COMMA, SEMICOLON, OPEN, CLOSE, SINGLE, DOUBLE] = [...',;()\'"'].map((sign) => sign.charCodeAt(0))

const isGap = (unit: number): boolean =>
  unit <= SPACE || unit === COMMA || unit === SEMICOLON || unit === OPEN || unit === CLOSE
  || (unit >= 0xa0 && /\s/.test(String.fromCharCode(unit)))

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })

export const bareTextOf = (
  text: string,
  { from: start, to: end }: Span = { from: 0, to: text.length },
): BareText => {
  const at = new Int32Array(end - start)
  const units = new Uint16Array(end - start)
  let length = 0
  for (let offset = start; offset < end; offset += 1) {
    const unit = text.charCodeAt(offset)
    if (isGap(unit)) continue
    at[length] = offset
    units[length] = unit === SINGLE ? DOUBLE! : unit
    length += 1
  }
  return { text: decoder.decode(units.subarray(0, length)), at: at.subarray(0, length) }
}

export const isReformatted = (before: string, after: string): boolean =>
  bareTextOf(before).text === bareTextOf(after).text

/** Counts the bare characters before an offset of the whole text. */
export const countBefore = ({ at }: BareText, offset: number): number => {
  let low = 0
  for (let high = at.length; low < high;) {
    const middle = (low + high) >> 1
    if (at[middle]! >= offset) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns -1 unless the part occurs exactly once. */
export const onlyIndexOf = (text: string, part: string): number => {
  const at = text.indexOf(part)
  return at >= 0 && text.indexOf(part, at + 1) < 0 ? at : -1
}
