/** Replaces the words of sources by the texts of their rules; every other byte stays. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from '../text/line-ending.ts'
import { hasWords, isItem, lineEnd, lineStart, openingOf } from './lines.ts'
import { isLoose, itemAt, type Markdown, oneLineAt, overlapping, underlinedAt } from './markdown-parts.ts'
import type { Place } from './place-sources.ts'
import { REMOVED, withoutRemoved } from './removed-lines.ts'
import { asSentences, hasRuleLabel, isEnded, ruleTextOf, spaceAfter, withFullStop } from './rule-text.ts'
import { wrapped } from './wrap.ts'

/** The places of the same words. */
type Group = Span & { places: Array<Place> }

const groupsOf = (places: Array<Place>): Array<Group> => {
  const groups: Array<Group> = []
  for (const place of places) {
    const last = groups.at(-1)
    if (last?.from === place.from && last.to === place.to) last.places.push(place)
    else groups.push({ from: place.from, to: place.to, places: [place] })
  }
  return groups
}

/** Gives the words of a rule: with labels where the replaced words have them, or `mode` wants the reason on its own line. */
const wordsOf = (rule: string, replaced: string, mode: Mode | undefined): string => {
  if (hasRuleLabel(replaced.trim()) && mode !== 'concise') return withLineFeeds(rule).trimEnd()
  const text = ruleTextOf(rule, mode)
  const isOwnLine = text.reason !== '' && (mode === 'verbose' || /(?:^|[\s>])Reason:/.test(replaced))
  if (isOwnLine) return `${text.sentence}\nReason: ${text.reason}`
  return text.reason !== '' && isEnded(replaced) ? withFullStop(asSentences(text)) : asSentences(text)
}

/** What stands between the words of rules that share a source: the marker of their item, a line break or a blank line. */
type Joint = { bullet: string; itemBreak: '\n' | '\n\n' }

/** Joins the words of rules that share their source: on one line, those after a reason and items on lines of their own. */
const joined = (words: Array<string>, { bullet, itemBreak }: Joint): string =>
  words.reduce((all, next) => {
    if (/^[ \t]*\n/.test(next)) return all + next
    if (isItem(next)) return all + itemBreak + next
    return /\nReason:.*$/.test(all) ? all + itemBreak + bullet + next : all + spaceAfter(all) + next
  })

const jointAt = ({ text, root }: Markdown, at: number, before: string): Joint => {
  const item = itemAt(root, at)
  return {
    bullet: /^[-*+•][ \t]+/.exec(openingOf(before).marker)?.[0] ?? '',
    itemBreak: item !== undefined && isLoose(text, item) ? '\n\n' : '\n',
  }
}

/** What the lines of a new text begin with, but the first: items at the column of their item, other lines at its content. */
type Columns = { item: string; content: string }

const quotesIn = (indent: string): number => indent.split('>').length

const columnsAt = ({ text, root }: Markdown, at: number): Columns => {
  const lineAt = (offset: number): string => text.slice(lineStart(text, offset), lineEnd(text, offset))
  const { indent } = openingOf(lineAt(at))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indent, content: indent }
  const before = text.slice(lineStart(text, item.from), item.from).replace(/[^\s>]/g, ' ')
  const { marker } = openingOf(text.slice(item.from, lineEnd(text, item.from)))
  const content = before + marker.replace(/\S/g, ' ')
  // In a quotation that stands in an item, on its first line or below.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quoted = quotes.includes('>') ? content + quotes : indent
  return quotesIn(quoted) > quotesIn(content) ? { item: quoted, content: quoted } : { item: before, content }
}

const FENCE = /^[ \t]*(?:```|~~~)/

/** Puts the lines of a new text at their columns. A line that is indented as far already stays; so does code. */
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

/** Removes what the words of a rule repeat of the text around them: a marker, a label, emphasis, a full stop. */
const withoutRepeated = (words: string, before: string, after: string): string => {
  let bare = words
  const opening = openingOf(before)
  const given = openingOf(bare)
  if (opening.whole.length === before.length) {
    const quotes = opening.indent.includes('>') ? given.indent : ''
    const marker = opening.marker === '' ? '' : given.indent + given.marker + (opening.box && given.box)
    bare = bare.slice(Math.max(quotes.length, marker.length))
  }
  if (/\bRule:(?:\*\*|__)?[ \t]*$/.test(before)) {
    bare = bare.replace(/^(?:\*\*|__)?Rule:(?:\*\*|__)?[ \t]*/, '')
  }
  const mark = /(?:\*\*|__|[*_`])$/.exec(before)?.[0] ?? ''
  const isMarked = mark !== '' && after.startsWith(mark) && bare.length > 2 * mark.length
    && bare.startsWith(mark) && bare.indexOf(mark, mark.length) === bare.length - mark.length
  if (isMarked) bare = bare.slice(mark.length, -mark.length)
  const [stop] = /(?<![.。!?！？])[.。!?！？]$/.exec(bare) ?? ['']
  const following = /^(?:[*_~"'”’»)\]]*)([.。!?！？])/.exec(after)?.[1]
  return stop === following || /^[.。]$/.test(stop) && following !== undefined
    ? bare.slice(0, -stop.length)
    : bare
}

/** Gives how much of the replaced words stays before a text: the marker, box and quotation marks that it has not. */
const keptOpening = (before: string, replaced: string, words: string): number => {
  const [old, given] = [openingOf(before + replaced), openingOf(words)]
  const isQuoteKept = old.indent !== '' && !given.indent.includes('>')
  const box = /^\[[ xX]\][ \t]/.test(words) ? old.box.length : 0
  const kept = given.marker === '' ? old.whole.length - box : isQuoteKept ? old.indent.length : 0
  return Math.max(0, kept - before.length)
}

const collapsed = (words: string): string => words.replace(/\s*[\r\n][\s>]*|\s+/g, ' ').trim()

const LEADING_BREAKS = /^(?:[ \t]*\n)+/

/** Gives the change that puts the words of rules in the place of their source; undefined where they say the same. */
const replacementOf = (markdown: Markdown, { from, to }: Span, texts: Array<string>, mode?: Mode) => {
  const { text } = markdown
  const replaced = text.slice(from, to)
  const before = text.slice(lineStart(text, from), from)
  const isLineStart = openingOf(before).whole.length === before.length
  const wordings = texts.map((one) => wordsOf(one, replaced, mode))
  // The mode `concise` gives each text a marker, also within a line. A heading or a cell of a table has no items.
  const isInLine = oneLineAt(markdown, { from, to })
    ? !isItem(replaced)
    : mode === 'concise' && (!isLineStart || hasWords(text.slice(to, lineEnd(text, to))))
  const isBareItem = (words: string): boolean => isInLine && isItem(words)
  const given = joined(
    wordings.map((words) => isBareItem(words) ? words.slice(openingOf(words).whole.length) : words),
    jointAt(markdown, from, before),
  )
  const breaks = LEADING_BREAKS.exec(given)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(given) && !isItem(replaced) ? '\n' : '')
  if (!isLineStart && breaks !== '') {
    // On a line of its own, not after what stands before it.
    const words = atColumns(breaks + given.replace(LEADING_BREAKS, ''), columnsAt(markdown, from))
    return { from: from - /[ \t]*$/.exec(before)![0].length, to, words }
  }
  const words = withoutRepeated(given.trimStart(), before, text.slice(to, to + 20))
  const start = from + (isLineStart ? keptOpening(before, replaced, words) : 0)
  const rest = text.slice(start, to)
  if (collapsed(words) === collapsed(rest) && !words.includes('\n')) return undefined
  const isLine = overlapping(markdown.oneLine, { from, to }).length > 0
    || openingOf(words).marker.startsWith('#')
  const laid = /[\r\n]/.test(rest.trim()) && !words.includes('\n') && !isLine
    ? wrapped(words, { text, from: start, to })
    : atColumns(words, columnsAt(markdown, from))
  return laid === withLineFeeds(rest) ? undefined : { from: start, to, words: laid }
}

/** What the texts of a source replace. */
type Replacement = { span: Span; texts: Array<string> }

/** Keeps the underline of a heading, unless a text has the source's underline as `#`, or all words of the heading go. */
const withUnderline = ({ text, root }: Markdown, { from, to }: Span, texts: Array<string>): Replacement => {
  const { heading, underline } = underlinedAt(root, from) ?? {}
  if (heading === undefined || underline === undefined) return { span: { from, to }, texts }
  const isAll = !hasWords(text.slice(heading.from, from) + text.slice(to, underline.from))
  if (texts.length === 0) return { span: { from, to: isAll ? Math.max(to, underline.to) : to }, texts }
  if (to <= underline.from) {
    return { span: { from, to }, texts: texts.map((one) => one.replace(/^\s*#{1,6}[ \t]+/, '')) }
  }
  const isMarked = texts[0]!.trimStart().startsWith('#')
  return {
    span: { from, to: isMarked ? to : from + text.slice(from, underline.from).trimEnd().length },
    texts,
  }
}

/** A rewritten text, and the indexes of the rules whose words stood there already. */
export type Replaced = { text: string; unchanged: Array<number> }

/**
 * Replaces the words of each source by the text of its rule. Rules that share a source follow each other; of the sources
 * of one rule, the first has its text and the others go.
 *
 * @param places what `placeSources` found, without faults
 * @param rules the formatted rules; `place.rule` is an index of them
 */
export const replaceSources = (
  markdown: Markdown,
  places: Array<Place>,
  rules: Array<string>,
  mode?: Mode,
): Replaced => {
  const { text } = markdown
  const lineEnding = lineEndingOf(text)
  const pieces: Array<string> = []
  const unchanged: Array<number> = []
  let at = 0
  const edits: Array<Span & { words: string }> = []
  for (const { places: here, ...group } of groupsOf(places)) {
    const shown = here.filter(({ index }) => index === 0).map(({ rule }) => rule)
    const { span, texts } = withUnderline(markdown, group, shown.map((rule) => rules[rule]!))
    const edit = texts.length === 0
      ? { ...span, words: REMOVED }
      : replacementOf(markdown, span, texts, mode)
    if (edit === undefined) unchanged.push(...shown)
    else edits.push(edit, ...here.flatMap(({ loose = [] }) => loose.map((mark) => ({ ...mark, words: '' }))))
  }
  for (const { from, to, words } of edits.toSorted((one, other) => one.from - other.from)) {
    // A mark that another edit replaced already.
    if (from < at) continue
    pieces.push(text.slice(at, from), inLineEnding(words, lineEnding))
    at = to
  }
  return { text: withoutRemoved(pieces.join('') + text.slice(at)), unchanged }
}
