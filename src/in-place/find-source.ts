/** Finds the words of a source in a text, as a model copies them. */
import type { Span } from '../text/changed-range.ts'
import { BLANK_LINE, hasWords, SPACELESS } from './lines.ts'
import { type Mark, type Markdown, overlapping, type Part } from './markdown-parts.ts'

/**
 * How a text is compared with a source: with any whitespace for whitespace; also without regard to capitals, kinds of
 * quotation marks and dashes; also without emphasis marks.
 */
const WAYS = ['exact', 'alike', 'unmarked'] as const
type Way = (typeof WAYS)[number]

// Whitespace with what continues a quotation on the next line; marks of hidden characters, with which the text was shown;
// emphasis marks; ellipses; hidden characters; letters with accents of their own; any other character.
const TOKEN = /\s*[\r\n](?:\s|>(?!=))*|\s+|⟦U\+[0-9A-F]+⟧|[*_~]+|\.{3,}|\p{Cf}|\uFE0F|\P{M}\p{M}+|[^]/gu

const HIDDEN = /^(?:⟦.*⟧|\p{Cf}|\uFE0F)$/u
const isWord = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)
const SPACELESS_ONLY = new RegExp(`^[${SPACELESS}。、，；：！？]+$`, 'u')

/** Whether a run of `*`, `_` or `~` marks emphasis: not in `snake_case`, and not between spaces. */
const isMark = (run: string, before: string, after: string): boolean =>
  /^[*_~]+$/.test(run) && !(/\s/.test(before || ' ') && /\s/.test(after || ' '))
  && !(run.startsWith('_') && isWord(before) && isWord(after))

/** Gives one form to quotation marks, dashes, ellipses and letters. */
const alike = (token: string): string =>
  token.replace(/["“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´]/g, "'").replace(/[‐-―−]/g, '-').replace(/^\.{3,}$/, '…')
    // `STRASSE` and `straße` are the same, `Σ`, `σ` and `ς` too.
    .toUpperCase().toLowerCase()

/** A text as it is compared: its UTF-16 units, and where in the text each begins and ends. */
type Reading = { units: string; starts: Array<number>; ends: Array<number> }

const readingOf = (text: string, way: Way): Reading => {
  const reading: Reading = { units: '', starts: [], ends: [] }
  const pieces: Array<string> = []
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    if (HIDDEN.test(token)) continue
    const [before, after] = [text[index - 1] ?? '', text[end] ?? '']
    if (way === 'unmarked' && isMark(token, before, after)) continue
    // A line break within a Chinese or Japanese sentence stands for nothing.
    if (way !== 'exact' && /^\s/.test(token) && SPACELESS_ONLY.test(before + after)) continue
    const normal = token.length > 1 ? token.normalize('NFC') : token
    const units = /^\s/.test(token) ? ' ' : way === 'exact' ? normal : alike(normal)
    pieces.push(units)
    for (let unit = 0; unit < units.length; unit++) {
      // A token that stays as it is has a place for each of its units.
      const isSame = units.length === token.length
      reading.starts.push(isSame ? index + unit : index)
      reading.ends.push(isSame ? index + unit + 1 : end)
    }
  }
  return { ...reading, units: pieces.join('') }
}

const ELLIPSIS = /…|\.{3,}/

// Quotation marks of the line at which a source begins stay before it.
const OPENING_QUOTES = /^(?:\s|>(?!=))+/

/** Lists the parts of a source that stand one after another: all of it, then what its ellipses separate. */
const variantsOf = (source: string): Array<Array<string>> => {
  const parts = source.split(ELLIPSIS)
  const isBetween = parts.length > 1 && hasWords(parts[0]!) && hasWords(parts.at(-1)!)
  return isBetween ? [[source], parts] : [[source]]
}

// The places of one source that are compared.
const MAX_PLACES = 100

/** Finds the spans in which parts follow each other, with no blank line between them. */
const spansOf = (
  { units, starts, ends }: Reading,
  text: string,
  [head = '', ...rest]: Array<string>,
): Array<Span> => {
  const spans: Array<Span> = []
  // Where each part was found last: a place that is still ahead is not searched for again.
  const ahead: Array<number> = []
  for (let start = units.indexOf(head); start >= 0;) {
    let end = start + head.length
    let isInBlock = true
    for (const [number, part] of rest.entries()) {
      if ((ahead[number] ?? -1) < end) ahead[number] = units.indexOf(part, end)
      const found = ahead[number]!
      if (found < 0) return spans
      isInBlock &&= !BLANK_LINE.test(text.slice(ends[end - 1], starts[found]))
      end = found + part.length
    }
    if (isInBlock) spans.push({ from: starts[start]!, to: ends[end - 1]! })
    start = units.indexOf(head, isInBlock ? end : start + 1)
  }
  return spans
}

/** Whether a word goes on at an offset; in scripts without spaces it may end anywhere. */
const cutsWord = (text: string, at: number): boolean => {
  const [before, after] = [
    /[\p{L}\p{N}]\p{M}*$/u.exec(text.slice(Math.max(0, at - 4), at)),
    text.slice(at, at + 2),
  ]
  return /^\p{M}/u.test(after) || before !== null && /^[\p{L}\p{N}]/u.test(after) && !/^\p{Lo}/u.test(after)
}

/** A span, and the emphasis marks elsewhere that would be left without their counterpart. */
export type FoundSpan = Span & { loose?: Array<Span> }

/** Adds the emphasis marks next to a span that would be left without their counterpart; the others are loose. */
const withMarks = (span: Span, marks: Array<Mark>): FoundSpan => {
  let { from, to } = span
  const loose: Array<Span> = []
  const isWithin = (mark: Span): boolean => from <= mark.from && mark.to <= to
  const within = overlapping(marks, span).filter(isWithin)
  const isClosing = ({ from: at, counterpart }: Mark): boolean => counterpart.from < at
  // Those of inner emphasis first: it is closed first, and opened last.
  const inner = [...within.filter(isClosing), ...within.filter((mark) => !isClosing(mark)).reverse()]
  for (const { counterpart } of inner) {
    if (isWithin(counterpart)) continue
    if (counterpart.to === from) from = counterpart.from
    else if (counterpart.from === to) to = counterpart.to
    else loose.push(counterpart)
  }
  return { from, to, loose }
}

/** Where a source stands: all its spans, or the first protected part in which it does. */
export type Found = { spans: Array<FoundSpan>; protectedBy?: Part | undefined }

/**
 * Returns a search that maps a source to its spans in a text: as it was copied, else with its ellipses standing for the
 * words of one block, else by ever looser comparisons. A span cuts no word and no protected part.
 */
export const sourceFinder = (markdown: Markdown): (source: string) => Found => {
  const { text, marks } = markdown
  const readings = new Map<Way, Reading>()
  const cache = new Map<string, Found>()
  const readingFor = (way: Way): Reading => {
    const reading = readings.get(way) ?? readingOf(text, way)
    readings.set(way, reading)
    return reading
  }
  const find = (source: string): Found => {
    let protectedBy: Part | undefined
    for (const way of WAYS) {
      for (const variant of variantsOf(source)) {
        const parts = variant.map((part) => readingOf(part.replace(OPENING_QUOTES, ''), way).units.trim())
          .filter((part) => part !== '')
        if (parts.length === 0) continue
        const spans: Array<FoundSpan> = []
        for (const span of spansOf(readingFor(way), text, parts)) {
          const whole = way === 'unmarked' ? withMarks(span, marks) : span
          if (cutsWord(text, whole.from) || cutsWord(text, whole.to)) continue
          const [part] = overlapping(markdown.protected, whole)
          if (part === undefined) spans.push(whole)
          else protectedBy ??= part
          if (spans.length > MAX_PLACES) break
        }
        if (spans.length > 0) return { spans }
      }
    }
    return { spans: [], protectedBy }
  }
  return (source) => {
    const found = cache.get(source) ?? find(source)
    cache.set(source, found)
    return found
  }
}
