/** Replaces the words of sources with the texts of their rules. The rest of the text stays unchanged. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { lineEndingOf, withLineEnding, withLineFeeds } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import {
  isItem,
  lineBefore,
  lineEnd,
  type LinePrefix,
  linePrefix,
  lineStart,
  withoutPrefix,
  wrapWords,
} from './lines.ts'
import {
  enclosingNode,
  isLoose,
  itemAt,
  type Markdown,
  oneLineRegionAt,
  overlapping,
} from './markdown-parts.ts'
import type { ReplacedSpan } from './place-sources.ts'
import { REMOVED, withoutRemoved } from './removed-lines.ts'
import {
  asSentences,
  endsSentence,
  hasRuleLabel,
  parseRuleText,
  spaceAfter,
  withFullStop,
} from './rule-text.ts'

/**
 * Returns the words of a rule as they are inserted:
 *
 * - in the mode `concise`, without its labels and its reason;
 * - in any other mode, with its labels if the replaced words begin with `Rule:`;
 * - otherwise without `Rule:`, and with `Reason:` only if the replaced words have it or the mode is `verbose`. A reason
 *   that loses its label becomes a sentence.
 */
const wordingOf = (rule: string, replaced: string, mode: Mode | undefined): string => {
  if (hasRuleLabel(replaced) && mode !== 'concise') return withLineFeeds(rule).trimEnd()
  const { sentence, reason } = parseRuleText(rule, mode)
  if (reason === '') return sentence
  if (mode === 'verbose' || /(?:^|[\s>])Reason:/.test(replaced)) return `${sentence}\nReason: ${reason}`
  const sentences = asSentences({ sentence, reason })
  return endsSentence(replaced) ? withFullStop(sentences) : sentences
}

/** Joins the wordings of rules that share a source. An item, or a wording after a `Reason:` line, begins a new line. */
const joinWordings = ({ text, root }: Markdown, at: number, wordings: Array<string>): string => {
  const item = itemAt(root, at)
  const itemBreak = item !== undefined && isLoose(text, item) ? '\n\n' : '\n'
  const { marker } = linePrefix(lineBefore(text, at))
  const bullet = /^[-*+•]/.test(marker) ? marker : ''
  return wordings.reduce((joined, wording) => {
    if (/^[ \t]*\n/.test(wording)) return joined + wording
    if (isItem(wording)) return joined + itemBreak + wording
    return /\nReason:.*$/.test(joined)
      ? joined + itemBreak + bullet + wording
      : joined + spaceAfter(joined) + wording
  })
}

/** The indentation of the lines of an inserted text: `item` before a list marker, `content` before any other line. */
type Indents = { item: string; content: string }

const quoteDepth = (indent: string): number => indent.split('>').length

/** Returns the indentation of lines that are inserted at an offset. */
const indentsAt = ({ text, root }: Markdown, at: number): Indents => {
  const { indent } = linePrefix(text.slice(lineStart(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indent, content: indent }
  const before = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const content = before + marker.replace(/\S/g, ' ')
  // The item may contain a quotation, from its first line on or below it.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quoted = quotes.includes('>') ? content + quotes : indent
  return quoteDepth(quoted) > quoteDepth(content)
    ? { item: quoted, content: quoted }
    : { item: before, content }
}

const FENCE = /^[ \t]*(?:```|~~~)/

/** Indents the lines after the first that are not deep enough yet. Lines of code keep their own indentation, too. */
const indentLines = (words: string, indents: Indents): string => {
  let isCode = false
  const isQuoted = indents.content.includes('>')
  return words.split('\n').map((line, index) => {
    const isFence = FENCE.test(line)
    const isInCode = isCode && !isFence
    if (isFence) isCode = !isCode
    if (index === 0) return line
    if (line.trim() === '') return indents.content.trimEnd()
    if (isInCode) return indents.content + line
    const indent = isItem(line) ? indents.item : indents.content
    const hasQuoteMark = /^[ \t]*>/.test(line)
    const isDeepEnough = /^[ \t>]*/.exec(line)![0].length >= indent.length
    return isDeepEnough && (hasQuoteMark || !isQuoted) ? line : indent + line.trimStart()
  }).join('\n')
}

/** Removes the list marker, box and `>` marks of a rule that `before`, the part of the line before it, already has. */
const withoutRepeatedPrefix = (words: string, before: string): string => {
  const present = linePrefix(before)
  if (present.whole !== before) return words
  const { indent, marker, box } = linePrefix(words)
  if (present.marker !== '') return words.slice((indent + marker + (present.box && box)).length)
  return present.indent.includes('>') ? words.slice(indent.length) : words
}

/**
 * Removes the emphasis or code marks of a rule that the text around it already has. Removes the rule's end mark if the
 * same one follows, and its full stop if any end mark follows.
 */
const withoutRepeatedMarks = (words: string, before: string, after: string): string => {
  const mark = /(?:\*\*|__|[*_`])$/.exec(before)?.[0] ?? ''
  const isMarked = mark !== '' && after.startsWith(mark) && words.startsWith(mark)
    && words.indexOf(mark, mark.length) === words.length - mark.length
  const unmarked = isMarked ? words.slice(mark.length, -mark.length) : words
  const [stop] = /(?<![.。!?！？])[.。!?！？]$/.exec(unmarked) ?? ['']
  const nextStop = /^(?:[*_~"'”’»)\]]*)([.。!?！？])/.exec(after)?.[1]
  const isRepeated = nextStop !== undefined && (stop === nextStop || /^[.。]$/.test(stop))
  return isRepeated ? unmarked.slice(0, unmarked.length - stop.length) : unmarked
}

/** Returns the part of an old line prefix that stays before new words: the `>` marks, marker and box that they lack. */
const keptPrefix = (old: LinePrefix, words: string): string => {
  const { indent, marker } = linePrefix(words)
  if (marker !== '') return indent.includes('>') ? '' : old.indent
  const hasBox = /^\[[ xX]\][ \t]/.test(words)
  return old.indent + old.marker + (hasBox ? '' : old.box)
}

/** Whether two texts differ at most in whitespace and the `>` marks of continued quotations. */
const areSameWords = (a: string, b: string): boolean => {
  const [first, second] = [a, b].map((text) => text.replace(/\s*[\r\n][\s>]*|\s+/g, ' ').trim())
  return first === second
}

const LEADING_BREAKS = /^(?:[ \t]*\n)+/

type Edit = Span & { words: string }

/**
 * Whether list items that replace a span lose their markers. In a heading or a table cell, they do unless the replaced
 * words have one; within any other line, only in the mode `concise`, where every rule is sent with a marker.
 */
const loseMarkers = (markdown: Markdown, { from, to }: Span, mode: Mode | undefined): boolean => {
  const { text } = markdown
  if (oneLineRegionAt(markdown, { from, to })) return !isItem(text.slice(from, to))
  const before = lineBefore(text, from)
  const isWithinLine = linePrefix(before).whole !== before || hasWords(text.slice(to, lineEnd(text, to)))
  return mode === 'concise' && isWithinLine
}

/** Creates the edit that replaces a span with the texts of rules; `undefined` if the span already has their words. */
const editOf = (
  markdown: Markdown,
  { from, to }: Span,
  texts: Array<string>,
  mode?: Mode,
): Edit | undefined => {
  const { text } = markdown
  const replaced = text.slice(from, to)
  const before = lineBefore(text, from)
  const isLineStart = linePrefix(before).whole === before
  const isWithoutMarker = loseMarkers(markdown, { from, to }, mode)
  const wordings = texts.map((rule) => wordingOf(rule, replaced, mode))
    .map((wording) => isWithoutMarker && isItem(wording) ? withoutPrefix(wording) : wording)
  const joined = joinWordings(markdown, from, wordings)
  // The line breaks with which the words begin; items that do not replace an item need one.
  const breaks = LEADING_BREAKS.exec(joined)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(joined) && !isItem(replaced) ? '\n' : '')
  if (!isLineStart && breaks !== '') {
    // The words move to a line of their own, so the spaces before them are removed.
    const words = indentLines(breaks + joined.replace(LEADING_BREAKS, ''), indentsAt(markdown, from))
    return { from: from - /[ \t]*$/.exec(before)![0].length, to, words }
  }
  const bare = withoutRepeatedPrefix(joined.trimStart(), before)
  const words = withoutRepeatedMarks(bare, before, text.slice(to, to + 20))
  // If the span includes the prefix of its line, that stays as far as the new words lack it.
  const kept = isLineStart ? keptPrefix(linePrefix(before + replaced), words) : ''
  const start = from + Math.max(0, kept.length - before.length)
  const oldWords = text.slice(start, to)
  const isOneLine = !words.includes('\n')
  if (isOneLine && areSameWords(words, oldWords)) return undefined
  const mayWrap = overlapping(markdown.oneLineRegions, { from, to }).length === 0
    && !linePrefix(words).marker.startsWith('#')
  const newWords = isOneLine && mayWrap && /[\r\n]/.test(oldWords.trim())
    ? wrapWords(words, { text, from: start, to })
    : indentLines(words, indentsAt(markdown, from))
  return newWords === withLineFeeds(oldWords) ? undefined : { from: start, to, words: newWords }
}

/**
 * Adapts the end of a span, and the texts that replace it, if an underlined heading contains the span: the underline
 * stays, unless a `#` heading replaces it or no word is left above it.
 */
const withUnderline = ({ text, root }: Markdown, { from, to }: Span, texts: Array<string>) => {
  const heading = enclosingNode(root, from, ({ name }) => name.startsWith('SetextHeading'))
  const underline = heading?.lastChild
  if (!heading || !underline) return { to, texts }
  if (texts.length === 0) {
    const isWhole = !hasWords(text.slice(heading.from, from) + text.slice(to, underline.from))
    return { to: isWhole ? Math.max(to, underline.to) : to, texts }
  }
  const containsUnderline = to > underline.from
  if (!containsUnderline) return { to, texts: texts.map((rule) => rule.replace(/^\s*#{1,6}[ \t]+/, '')) }
  const isReplaced = texts[0]!.trimStart().startsWith('#')
  return { to: isReplaced ? to : from + text.slice(from, underline.from).trimEnd().length, texts }
}

/** A rewritten text, and the indexes of the rules whose words it already contained. */
export type ReplacedText = { text: string; unchanged: Array<number> }

/** Replaces each span with the texts of the rules that are inserted there; without any, removes its words. */
export const replaceSources = (
  markdown: Markdown,
  spans: Array<ReplacedSpan>,
  rules: Array<string>,
  mode?: Mode,
): ReplacedText => {
  const { text } = markdown
  const unchanged: Array<number> = []
  const edits: Array<Edit> = []
  for (const span of spans) {
    const { from, inserted, unpaired } = span
    const { to, texts } = withUnderline(markdown, span, inserted.map((rule) => rules[rule]!))
    const edit = texts.length === 0
      ? { from, to, words: REMOVED }
      : editOf(markdown, { from, to }, texts, mode)
    if (edit === undefined) unchanged.push(...inserted)
    else edits.push(edit, ...unpaired.map((mark) => ({ from: mark.from, to: mark.to, words: '' })))
  }
  const lineEnding = lineEndingOf(text)
  let [rewritten, end] = ['', 0]
  for (const { from, to, words } of edits.toSorted((a, b) => a.from - b.from)) {
    // The edit before may contain an unpaired emphasis mark.
    if (from < end) continue
    rewritten += text.slice(end, from) + withLineEnding(words, lineEnding)
    end = to
  }
  return { text: withoutRemoved(rewritten + text.slice(end)), unchanged }
}
