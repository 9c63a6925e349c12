/** Replaces the words of sources with the texts of their rules. The rest of the text stays unchanged. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { lineEndingOf, withLineEnding, withLineFeeds } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import { isItem, lineBefore, lineEnd, linePrefix, lineStart, withoutPrefix } from './lines.ts'
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
import { wrapWords } from './wrap.ts'

/**
 * Returns the words of a rule for its place. If the replaced words have the label `Rule:`, the rule keeps its labels.
 * Otherwise it loses `Rule:`, and keeps `Reason:` only if the replaced words have it or the mode is `verbose`; a reason
 * without its label becomes a sentence. In the mode `concise`, the rule has neither a label nor a reason.
 */
const wordingOf = (rule: string, replaced: string, mode: Mode | undefined): string => {
  if (hasRuleLabel(replaced.trim()) && mode !== 'concise') return withLineFeeds(rule).trimEnd()
  const parsed = parseRuleText(rule, mode)
  const { sentence, reason } = parsed
  if (reason === '') return sentence
  if (mode === 'verbose' || /(?:^|[\s>])Reason:/.test(replaced)) return `${sentence}\nReason: ${reason}`
  const sentences = asSentences(parsed)
  return endsSentence(replaced) ? withFullStop(sentences) : sentences
}

/** Joins the wordings of rules that share a source into one line. An item or a rule after a reason begins a new line. */
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

const indentsAt = ({ text, root }: Markdown, at: number): Indents => {
  const { indent } = linePrefix(text.slice(lineStart(text, at), lineEnd(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indent, content: indent }
  const before = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from, lineEnd(text, item.from)))
  const content = before + marker.replace(/\S/g, ' ')
  // The item may contain a quotation, from its first line on or below it.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quoted = quotes.includes('>') ? content + quotes : indent
  return quoteDepth(quoted) > quoteDepth(content)
    ? { item: quoted, content: quoted }
    : { item: before, content }
}

const FENCE = /^[ \t]*(?:```|~~~)/

/** Indents the lines after the first. Code keeps its own indentation, as do lines that are indented deeply enough. */
const indentLines = (words: string, indents: Indents): string => {
  let isCode = false
  const isQuoted = indents.content.includes('>')
  return words.split('\n').map((line, index) => {
    const isFence = FENCE.test(line)
    const isInCode = isCode && !isFence
    isCode = isFence ? !isCode : isCode
    if (index === 0) return line
    if (line.trim() === '') return isQuoted ? indents.content.trimEnd() : ''
    const indent = isItem(line) && !isInCode ? indents.item : indents.content
    if (isInCode || isQuoted && !/^[ \t]*>/.test(line)) return indent + (isInCode ? line : line.trimStart())
    return /^[ \t>]*/.exec(line)![0].length >= indent.length ? line : indent + line.trimStart()
  }).join('\n')
}

/** Removes the parts of a rule that the text around it already has: a marker, emphasis, a full stop. */
const withoutRepeated = (words: string, before: string, after: string): string => {
  let bare = words
  const linePrefixBefore = linePrefix(before)
  const rulePrefix = linePrefix(bare)
  if (linePrefixBefore.whole === before) {
    const quotes = linePrefixBefore.indent.includes('>') ? rulePrefix.indent : ''
    const marker = linePrefixBefore.marker === ''
      ? ''
      : rulePrefix.indent + rulePrefix.marker + (linePrefixBefore.box && rulePrefix.box)
    bare = bare.slice(Math.max(quotes.length, marker.length))
  }
  const mark = /(?:\*\*|__|[*_`])$/.exec(before)?.[0] ?? ''
  const isMarked = mark !== '' && after.startsWith(mark) && bare.startsWith(mark)
    && bare.indexOf(mark, mark.length) === bare.length - mark.length
  if (isMarked) bare = bare.slice(mark.length, -mark.length)
  const [stop] = /(?<![.。!?！？])[.。!?！？]$/.exec(bare) ?? ['']
  const following = /^(?:[*_~"'”’»)\]]*)([.。!?！？])/.exec(after)?.[1]
  return stop === following || /^[.。]$/.test(stop) && following !== undefined
    ? bare.slice(0, -stop.length)
    : bare
}

/** Returns how much of the prefix of the replaced words stays: the `>` marks, marker and box that the new words lack. */
const keptPrefixLength = (before: string, replaced: string, words: string): number => {
  const [oldPrefix, newPrefix] = [linePrefix(before + replaced), linePrefix(words)]
  const box = /^\[[ xX]\][ \t]/.test(words) ? oldPrefix.box.length : 0
  const isQuoted = newPrefix.indent.includes('>')
  const length = newPrefix.marker === ''
    ? oldPrefix.whole.length - box
    : isQuoted
    ? 0
    : oldPrefix.indent.length
  return Math.max(0, length - before.length)
}

const withSingleSpaces = (words: string): string => words.replace(/\s*[\r\n][\s>]*|\s+/g, ' ').trim()

const LEADING_BREAKS = /^(?:[ \t]*\n)+/

type Edit = Span & { words: string }

/** Creates the edit that replaces a span with the texts of rules; undefined if the span already contains their words. */
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
  // In a heading or a table cell, an item loses its marker unless the replaced words have one. Within any other line, it
  // does so only in the mode `concise`, where every text is sent with a marker.
  const losesMarker = oneLineRegionAt(markdown, { from, to })
    ? !isItem(replaced)
    : mode === 'concise' && (!isLineStart || hasWords(text.slice(to, lineEnd(text, to))))
  const wordings = texts.map((rule) => wordingOf(rule, replaced, mode))
    .map((wording) => losesMarker && isItem(wording) ? withoutPrefix(wording) : wording)
  const joined = joinWordings(markdown, from, wordings)
  const breaks = LEADING_BREAKS.exec(joined)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(joined) && !isItem(replaced) ? '\n' : '')
  if (!isLineStart && breaks !== '') {
    // The words move to a line of their own, so the spaces before them are removed.
    const words = indentLines(breaks + joined.replace(LEADING_BREAKS, ''), indentsAt(markdown, from))
    return { from: from - /[ \t]*$/.exec(before)![0].length, to, words }
  }
  const words = withoutRepeated(joined.trimStart(), before, text.slice(to, to + 20))
  const start = from + (isLineStart ? keptPrefixLength(before, replaced, words) : 0)
  const rest = text.slice(start, to)
  if (withSingleSpaces(words) === withSingleSpaces(rest) && !words.includes('\n')) return undefined
  const isOneLine = overlapping(markdown.oneLineRegions, { from, to }).length > 0
    || linePrefix(words).marker.startsWith('#')
  const lines = /[\r\n]/.test(rest.trim()) && !words.includes('\n') && !isOneLine
    ? wrapWords(words, { text, from: start, to })
    : indentLines(words, indentsAt(markdown, from))
  return lines === withLineFeeds(rest) ? undefined : { from: start, to, words: lines }
}

/**
 * Adjusts a replacement in an underlined heading. The underline stays, unless the source contains it and the text is a
 * `#` heading, or unless the whole heading is removed.
 */
const withUnderline = ({ text, root }: Markdown, { from, to }: Span, texts: Array<string>) => {
  const heading = enclosingNode(root, from, ({ name }) => name.startsWith('SetextHeading'))
  if (heading === undefined) return { span: { from, to }, texts }
  const underline = heading.lastChild!
  if (texts.length === 0) {
    const isWhole = !hasWords(text.slice(heading.from, from) + text.slice(to, underline.from))
    return { span: { from, to: isWhole ? Math.max(to, underline.to) : to }, texts }
  }
  if (to <= underline.from) {
    return { span: { from, to }, texts: texts.map((rule) => rule.replace(/^\s*#{1,6}[ \t]+/, '')) }
  }
  const isMarked = texts[0]!.trimStart().startsWith('#')
  const end = isMarked ? to : from + text.slice(from, underline.from).trimEnd().length
  return { span: { from, to: end }, texts }
}

/** A rewritten text, and the indexes of the rules whose words it already contained. */
export type ReplacedText = { text: string; unchanged: Array<number> }

/**
 * Replaces each span with the texts of the rules that are inserted there, or removes its words if there are none.
 *
 * @param rules the formatted rules that the spans refer to by index
 */
export const replaceSources = (
  markdown: Markdown,
  spans: Array<ReplacedSpan>,
  rules: Array<string>,
  mode?: Mode,
): ReplacedText => {
  const { text } = markdown
  const unchanged: Array<number> = []
  const edits: Array<Edit> = []
  for (const { inserted, unpaired, ...wholeSpan } of spans) {
    const { span, texts } = withUnderline(markdown, wholeSpan, inserted.map((rule) => rules[rule]!))
    const edit = texts.length === 0 ? { ...span, words: REMOVED } : editOf(markdown, span, texts, mode)
    if (edit === undefined) unchanged.push(...inserted)
    else edits.push(edit, ...unpaired.map(({ from, to }) => ({ from, to, words: '' })))
  }
  const lineEnding = lineEndingOf(text)
  const pieces: Array<string> = []
  let end = 0
  for (const { from, to, words } of edits.toSorted((a, b) => a.from - b.from)) {
    // The edit before may contain an unpaired emphasis mark.
    if (from < end) continue
    pieces.push(text.slice(end, from), withLineEnding(words, lineEnding))
    end = to
  }
  return { text: withoutRemoved(pieces.join('') + text.slice(end)), unchanged }
}
