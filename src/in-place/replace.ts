/** Replaces the words of sources with the texts of their rules. Every other byte stays. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from '../text/line-ending.ts'
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
import { wrapped } from './wrap.ts'

/**
 * Returns the wording of a rule. It has the label `Rule:` only if the replaced words have it, and `Reason:` if they have
 * it or `mode` is `verbose`; a reason without a label becomes a sentence.
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

/** Joins the wordings of rules that share a source: on one line, but items and what follows a reason on their own lines. */
const joinWordings = ({ text, root }: Markdown, at: number, wordings: Array<string>): string => {
  const item = itemAt(root, at)
  const itemBreak = item !== undefined && isLoose(text, item) ? '\n\n' : '\n'
  const { marker } = linePrefix(lineBefore(text, at))
  const bullet = /^[-*+•]/.test(marker) ? marker : ''
  return wordings.reduce((all, next) => {
    if (/^[ \t]*\n/.test(next)) return all + next
    if (isItem(next)) return all + itemBreak + next
    return /\nReason:.*$/.test(all) ? all + itemBreak + bullet + next : all + spaceAfter(all) + next
  })
}

/** What the lines of an inserted text begin with: `item` before a list marker, `content` before other lines. */
type Columns = { item: string; content: string }

const quotesIn = (indent: string): number => indent.split('>').length

const columnsAt = ({ text, root }: Markdown, at: number): Columns => {
  const { indent } = linePrefix(text.slice(lineStart(text, at), lineEnd(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indent, content: indent }
  const before = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from, lineEnd(text, item.from)))
  const content = before + marker.replace(/\S/g, ' ')
  // The item may contain a quotation, from its first line on or below it.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quoted = quotes.includes('>') ? content + quotes : indent
  return quotesIn(quoted) > quotesIn(content) ? { item: quoted, content: quoted } : { item: before, content }
}

const FENCE = /^[ \t]*(?:```|~~~)/

/** Indents the lines after the first to their columns. Code keeps its own indentation, as do lines that are deep enough. */
const atColumns = (words: string, columns: Columns): string => {
  let isCode = false
  const isQuoted = columns.content.includes('>')
  return words.split('\n').map((line, index) => {
    const isFence = FENCE.test(line)
    const isInCode = isCode && !isFence
    isCode = isFence ? !isCode : isCode
    if (index === 0) return line
    if (line.trim() === '') return isQuoted ? columns.content.trimEnd() : ''
    const column = isItem(line) && !isInCode ? columns.item : columns.content
    if (isInCode || isQuoted && !/^[ \t]*>/.test(line)) return column + (isInCode ? line : line.trimStart())
    return /^[ \t>]*/.exec(line)![0].length >= column.length ? line : column + line.trimStart()
  }).join('\n')
}

/** Removes what the words of a rule repeat of the text around them: a marker, emphasis, a full stop. */
const withoutRepeated = (words: string, before: string, after: string): string => {
  let bare = words
  const around = linePrefix(before)
  const own = linePrefix(bare)
  if (around.whole === before) {
    const quotes = around.indent.includes('>') ? own.indent : ''
    const marker = around.marker === '' ? '' : own.indent + own.marker + (around.box && own.box)
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

/** Counts the units at the start of replaced words that stay: the quotation marks, marker and box that the new words lack. */
const keptPrefix = (before: string, replaced: string, words: string): number => {
  const [old, own] = [linePrefix(before + replaced), linePrefix(words)]
  const box = /^\[[ xX]\][ \t]/.test(words) ? old.box.length : 0
  const isQuoted = own.indent.includes('>')
  const kept = own.marker === '' ? old.whole.length - box : isQuoted ? 0 : old.indent.length
  return Math.max(0, kept - before.length)
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
  // Headings and table cells contain no items. In the mode `concise`, even a text within a line comes with a marker.
  const isInLine = oneLineRegionAt(markdown, { from, to })
    ? !isItem(replaced)
    : mode === 'concise' && (!isLineStart || hasWords(text.slice(to, lineEnd(text, to))))
  const wordings = texts.map((rule) => wordingOf(rule, replaced, mode))
    .map((wording) => isInLine && isItem(wording) ? withoutPrefix(wording) : wording)
  const joined = joinWordings(markdown, from, wordings)
  const breaks = LEADING_BREAKS.exec(joined)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(joined) && !isItem(replaced) ? '\n' : '')
  if (!isLineStart && breaks !== '') {
    // The words begin a line of their own.
    const words = atColumns(breaks + joined.replace(LEADING_BREAKS, ''), columnsAt(markdown, from))
    return { from: from - /[ \t]*$/.exec(before)![0].length, to, words }
  }
  const words = withoutRepeated(joined.trimStart(), before, text.slice(to, to + 20))
  const start = from + (isLineStart ? keptPrefix(before, replaced, words) : 0)
  const rest = text.slice(start, to)
  if (withSingleSpaces(words) === withSingleSpaces(rest) && !words.includes('\n')) return undefined
  const isOneLine = overlapping(markdown.oneLineRegions, { from, to }).length > 0
    || linePrefix(words).marker.startsWith('#')
  const laid = /[\r\n]/.test(rest.trim()) && !words.includes('\n') && !isOneLine
    ? wrapped(words, { text, from: start, to })
    : atColumns(words, columnsAt(markdown, from))
  return laid === withLineFeeds(rest) ? undefined : { from: start, to, words: laid }
}

/**
 * Adjusts the replacement of words in an underlined heading. The underline stays, unless the source contains it and the
 * text is a `#` heading, or the whole heading is removed.
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
 * Replaces each span with the texts of its rules, or removes its words if no rule inserts its text there.
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
  for (const { inserted, loose, ...whole } of spans) {
    const { span, texts } = withUnderline(markdown, whole, inserted.map((rule) => rules[rule]!))
    const edit = texts.length === 0 ? { ...span, words: REMOVED } : editOf(markdown, span, texts, mode)
    if (edit === undefined) unchanged.push(...inserted)
    else edits.push(edit, ...loose.map(({ from, to }) => ({ from, to, words: '' })))
  }
  const lineEnding = lineEndingOf(text)
  const pieces: Array<string> = []
  let at = 0
  for (const { from, to, words } of edits.toSorted((a, b) => a.from - b.from)) {
    // Another edit may have replaced an emphasis mark already.
    if (from < at) continue
    pieces.push(text.slice(at, from), inLineEnding(words, lineEnding))
    at = to
  }
  return { text: withoutRemoved(pieces.join('') + text.slice(at)), unchanged }
}
