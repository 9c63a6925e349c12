/** Maps ranges of bare characters, which formatters leave alone, to the formatted text. */
import {
  type ChangedRange,
  commonPrefixLength,
  commonSuffixLength,
  type Span,
} from '../../text/changed-range.ts'
import { type BareText, bareTextOf, onlyIndexOf } from './bare-text.ts'

const CONTEXT_LENGTHS = [0, 8, 20, 80]
const MIN_SEARCH_LENGTH = 3

export const shift = ({ from, to }: Span, by: number): Span => ({ from: from + by, to: to + by })

type BarePair = { old: BareText; now: BareText; prefix: number; suffix: number }

export const barePairOf = (before: string, after: string, stretch: ChangedRange): BarePair => {
  const [old, now] = [bareTextOf(before, stretch.before), bareTextOf(after, stretch.after)]
  const prefix = commonPrefixLength(old.text, now.text)
  const maxSuffix = Math.min(old.text.length, now.text.length) - prefix
  return { old, now, prefix, suffix: Math.min(commonSuffixLength(old.text, now.text), maxSuffix) }
}

const findOnce = ({ old, now }: BarePair, bare: Span): Span | null => {
  for (const context of CONTEXT_LENGTHS) {
    const start = Math.max(0, bare.from - context)
    const words = old.text.slice(start, bare.to + context)
    if (words.length < MIN_SEARCH_LENGTH || onlyIndexOf(old.text, words) < 0) continue
    const at = onlyIndexOf(now.text, words)
    if (at >= 0) return shift(bare, at - start)
  }
  return null
}

/** Returns the same range in the formatted text, or null if its place is uncertain. */
export const counterpartOf = (pair: BarePair, bare: Span): Span | null => {
  const { old, now, prefix, suffix } = pair
  const lengthChange = now.text.length - old.text.length
  const changesEnd = old.text.length - suffix
  if (bare.to <= prefix) return bare
  if (bare.from >= changesEnd) return shift(bare, lengthChange)
  if (bare.from <= prefix && bare.to >= changesEnd) return { from: bare.from, to: bare.to + lengthChange }
  return findOnce(pair, bare)
}

/** Returns the gap before the bare character `index`. The first and the last gap extend to the stretch's edges. */
export const gapBefore = ({ at }: BareText, index: number, stretch: Span): Span => ({
  from: index > 0 ? at[index - 1]! + 1 : stretch.from,
  to: at[index] ?? stretch.to,
})
