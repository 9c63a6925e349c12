/** Finds the words of a source in a text, even if a model copied them inexactly. */
import type { Span } from '../text/changed-range.ts'
import { LruMap } from '../text/lru-map.ts'
import { hasWords } from '../text/words.ts'
import { BLANK_LINE, SPACELESS } from './lines.ts'
import { type EmphasisMark, type Markdown, overlapping, type Region } from './markdown-parts.ts'

/**
 * The ways to compare a text with a source, strictest first. `exact` ignores hidden characters, and differences in
 * whitespace, in the `>` marks of quotations and in the encoding of accents; `folded` also ignores capitals and the
 * kinds of quotation marks, dashes and ellipses; `unmarked` also ignores emphasis marks.
 */
const COMPARISONS = ['exact', 'folded', 'unmarked'] as const
type Comparison = (typeof COMPARISONS)[number]

// In this order: a line break with the `>` marks that continue a quotation on the next line; other whitespace; a mark
// such as `⟦U+200B⟧`, which stands for a hidden character in a shown text; emphasis marks; an ellipsis; a hidden
// character (two alternatives); a character with combining accents; any other character.
const TOKEN = /\s*[\r\n](?:\s|>(?!=))*|\s+|⟦U\+[0-9A-F]+⟧|[*_~]+|\.{3,}|\p{Cf}|\uFE0F|\P{M}\p{M}+|[^]/gu

const HIDDEN = /^(?:⟦.*⟧|\p{Cf}|\uFE0F)$/u
const SPACELESS_ONLY = new RegExp(`^[${SPACELESS}。、，；：！？]+$`, 'u')

/** Whether a token is a run of `*`, `_` or `~` that marks emphasis. `before` and `after` are the characters around. */
const isEmphasis = (token: string, before: string, after: string): boolean => {
  const isBetweenSpaces = /\s/.test(before || ' ') && /\s/.test(after || ' ')
  // As in `snake_case`.
  const isInName = token.startsWith('_') && hasWords(before) && hasWords(after)
  return /^[*_~]+$/.test(token) && !isBetweenSpaces && !isInName
}

/** Replaces the variants of quotation marks, dashes, ellipses and letters with one of each. */
const fold = (token: string): string =>
  token.replace(/["“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´]/g, "'").replace(/[‐-―−]/g, '-').replace(/^\.{3,}$/, '…')
    // Makes `STRASSE` equal to `straße`, and `Σ` to `σ` and `ς`.
    .toUpperCase().toLowerCase()

/** A text as it is compared: its UTF-16 units, and the offsets at which each unit starts and ends in the text. */
type NormalizedText = { units: string; starts: Array<number>; ends: Array<number> }

const normalize = (text: string, comparison: Comparison): NormalizedText => {
  const normalized: NormalizedText = { units: '', starts: [], ends: [] }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    if (HIDDEN.test(token)) continue
    const [before, after] = [text[index - 1] ?? '', text[end] ?? '']
    if (comparison === 'unmarked' && isEmphasis(token, before, after)) continue
    // A line break in a Chinese or Japanese sentence stands for no space: whitespace between such letters is ignored.
    if (comparison !== 'exact' && /^\s/.test(token) && SPACELESS_ONLY.test(before + after)) continue
    const normal = token.length > 1 ? token.normalize('NFC') : token
    const units = /^\s/.test(token) ? ' ' : comparison === 'exact' ? normal : fold(normal)
    normalized.units += units
    for (let unit = 0; unit < units.length; unit++) {
      const hasSameLength = units.length === token.length
      normalized.starts.push(hasSameLength ? index + unit : index)
      normalized.ends.push(hasSameLength ? index + unit + 1 : end)
    }
  }
  return normalized
}

// A model may also copy the `>` marks of a quotation before the first words, but these stay in the file.
const LEADING_MARKS = /^(?:\s|>(?!=))+/

/** Lists the readings of a source, each as its successive parts: the whole, and the parts around its ellipses. */
const readingsOf = (source: string, comparison: Comparison): Array<Array<string>> => {
  const parts = source.split(/…|\.{3,}/)
  const isBetween = parts.length > 1 && hasWords(parts[0]!) && hasWords(parts.at(-1)!)
  const unitsOf = (part: string) => normalize(part.replace(LEADING_MARKS, ''), comparison).units.trim()
  const readings = isBetween ? [[source], parts] : [[source]]
  return readings.map((reading) => reading.map(unitsOf).filter((part) => part !== ''))
}

const MAX_SPANS = 100
const MAX_CACHED_SOURCES = 10_000

/** Finds the spans that contain all parts in their order, without a blank line between two parts. */
const spansOf = (
  { units, starts, ends }: NormalizedText,
  text: string,
  [head = '', ...others]: Array<string>,
): Array<Span> => {
  const spans: Array<Span> = []
  // Where each part after the first was last found. While that is ahead, the part is not searched again: the time is
  // linear.
  const foundAt: Array<number> = []
  for (let start = head === '' ? -1 : units.indexOf(head); start >= 0;) {
    let end = start + head.length
    let isInBlock = true
    for (const [index, part] of others.entries()) {
      if ((foundAt[index] ?? -1) < end) foundAt[index] = units.indexOf(part, end)
      const partStart = foundAt[index]!
      if (partStart < 0) return spans
      isInBlock &&= !BLANK_LINE.test(text.slice(ends[end - 1], starts[partStart]))
      end = partStart + part.length
    }
    if (isInBlock) spans.push({ from: starts[start]!, to: ends[end - 1]! })
    start = units.indexOf(head, isInBlock ? end : start + 1)
  }
  return spans
}

/** Whether an offset is within a word. Before a letter without case, such as a Chinese one, a word may end. */
const isInWord = (text: string, at: number): boolean => {
  const isAfterLetter = /[\p{L}\p{N}]\p{M}*$/u.test(text.slice(Math.max(0, at - 4), at))
  const after = text.slice(at, at + 2)
  return /^\p{M}/u.test(after) || isAfterLetter && /^(?!\p{Lo})[\p{L}\p{N}]/u.test(after)
}

/** A span of a source; `unpaired` are emphasis marks outside of the span whose counterparts are inside. */
export type SourceSpan = Span & { unpaired?: Array<Span> }

/** Extends a span by adjacent emphasis marks with counterparts inside. Such marks farther away become `unpaired`. */
const withMarks = (span: Span, marks: Array<EmphasisMark>): SourceSpan => {
  let { from, to } = span
  const unpaired: Array<Span> = []
  const isWithin = (mark: Span): boolean => from <= mark.from && mark.to <= to
  const within = overlapping(marks, span).filter(isWithin)
  const isClosing = ({ from: at, counterpart }: EmphasisMark): boolean => counterpart.from < at
  // Inner emphasis comes first, so that the span grows outwards. Inner emphasis is opened last and closed first.
  const innerFirst = [...within.filter(isClosing), ...within.filter((mark) => !isClosing(mark)).reverse()]
  for (const { counterpart } of innerFirst) {
    if (isWithin(counterpart)) continue
    if (counterpart.to === from) from = counterpart.from
    else if (counterpart.from === to) to = counterpart.to
    else unpaired.push(counterpart)
  }
  return { from, to, unpaired }
}

/** The spans of a source; if it has none, the first protected region that an occurrence of the source overlaps. */
export type SourceMatch = { spans: Array<SourceSpan>; protectedBy?: Region | undefined }

/**
 * Returns a function that finds the spans of a source in a text. In each comparison, it tries the whole source, then
 * the parts around its ellipses; the first attempt that finds a span is the last. A span never cuts a word or overlaps
 * a protected region.
 */
export const sourceFinder = (markdown: Markdown): (source: string) => SourceMatch => {
  const { text, marks, protectedRegions } = markdown
  const texts = new LruMap<Comparison, NormalizedText>(COMPARISONS.length)
  const matches = new LruMap<string, SourceMatch>(MAX_CACHED_SOURCES)
  const find = (source: string): SourceMatch => {
    let protectedBy: Region | undefined
    for (const comparison of COMPARISONS) {
      const normalized = texts.getOrCreate(comparison, () => normalize(text, comparison))
      for (const parts of readingsOf(source, comparison)) {
        const spans: Array<SourceSpan> = []
        for (const words of spansOf(normalized, text, parts)) {
          const span = comparison === 'unmarked' ? withMarks(words, marks) : words
          if (isInWord(text, span.from) || isInWord(text, span.to)) continue
          const [region] = overlapping(protectedRegions, span)
          if (region === undefined) spans.push(span)
          else protectedBy ??= region
          if (spans.length > MAX_SPANS) break
        }
        if (spans.length > 0) return { spans }
      }
    }
    return { spans: [], protectedBy }
  }
  return (source) => matches.getOrCreate(source, () => find(source))
}
