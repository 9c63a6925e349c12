/** Replaces sources (words of a Markdown text) with the texts of their rules, and removes what would be left empty. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { lineEndingOf, withLineEnding, withLineFeeds } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import { indentLinesAt } from './indent-lines.ts'
import {
  isItem,
  lineBefore,
  lineEnd,
  type LinePrefix,
  linePrefix,
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

/** A rewritten text; `unchanged` has the indexes of the rules whose words already stood there. */
export type ReplacedText = { text: string; unchanged: Array<number> }

type Edit = Span & { words: string }

/** Replaces each span with the texts of the rules that are inserted there; if there are none, removes its words. */
export const replaceSources = (
  markdown: Markdown,
  spans: Array<ReplacedSpan>,
  rules: Array<string>,
  mode?: Mode,
): ReplacedText => {
  const unchanged: Array<number> = []
  const edits: Array<Edit> = []
  for (const span of spans) {
    const { from, insertedRules, unpaired } = span
    const { to, texts } = keepingUnderline(markdown, span, insertedRules.map((index) => rules[index]!))
    const edit = texts.length === 0
      ? { from, to, words: REMOVED }
      : editOf(markdown, { from, to }, texts, mode)
    if (edit === undefined) unchanged.push(...insertedRules)
    // Unpaired emphasis marks are removed, because the edit replaces their counterparts.
    else edits.push(edit, ...unpaired.map((mark) => ({ from: mark.from, to: mark.to, words: '' })))
  }
  return { text: withoutRemoved(applyEdits(markdown.text, edits)), unchanged }
}

const applyEdits = (text: string, edits: Array<Edit>): string => {
  const lineEnding = lineEndingOf(text)
  let [rewritten, end] = ['', 0]
  for (const { from, to, words } of edits.toSorted((a, b) => a.from - b.from)) {
    // The edit before has already replaced this unpaired emphasis mark.
    if (from < end) continue
    rewritten += text.slice(end, from) + withLineEnding(words, lineEnding)
    end = to
  }
  return rewritten + text.slice(end)
}

/** Adapts a span so that a heading keeps its underline (`===`), unless no word is left or a `#` heading replaces it. */
const keepingUnderline = ({ text, root }: Markdown, { from, to }: Span, texts: Array<string>) => {
  const heading = enclosingNode(root, from, ({ name }) => name.startsWith('SetextHeading'))
  const underline = heading?.lastChild
  if (!heading || !underline) return { to, texts }
  if (texts.length === 0) {
    const isEmptied = !hasWords(text.slice(heading.from, from) + text.slice(to, underline.from))
    return { to: isEmptied ? Math.max(to, underline.to) : to, texts }
  }
  // Above the underline, which stays, texts need no `#`.
  if (to <= underline.from) return { to, texts: texts.map((rule) => rule.replace(/^\s*#{1,6}[ \t]+/, '')) }
  const isNewHeading = texts[0]!.trimStart().startsWith('#')
  return { to: isNewHeading ? to : from + text.slice(from, underline.from).trimEnd().length, texts }
}

/** Returns the edit that puts texts in place of a span; `undefined` if their words already stand there. */
const editOf = (markdown: Markdown, span: Span, texts: Array<string>, mode?: Mode): Edit | undefined => {
  const { text } = markdown
  const before = lineBefore(text, span.from)
  const replaced = text.slice(span.from, span.to)
  const mustDropMarkers = dropsMarkers(markdown, span, mode)
  const wordings = texts.map((rule) => wordingOf(rule, replaced, mode))
    .map((wording) => mustDropMarkers && isItem(wording) ? withoutPrefix(wording) : wording)
  const joined = joinWordings(markdown, span.from, wordings)
  // New words begin a new line if they are sent so, or if they are an item and the replaced words are not. At the start
  // of a line, they need no new one.
  const breaks = LEADING_BREAKS.exec(joined)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(joined) && !isItem(replaced) ? '\n' : '')
  if (breaks === '' || isLinePrefix(before)) return editInLine(markdown, span, joined.trimStart())
  const [spaces] = /[ \t]*$/.exec(before)!
  const words = indentLinesAt(markdown, span.from, breaks + joined.replace(LEADING_BREAKS, ''))
  return { from: span.from - spaces.length, to: span.to, words }
}

const LEADING_BREAKS = /^(?:[ \t]*\n)+/

const isLinePrefix = (before: string): boolean => linePrefix(before).whole === before

/** Whether list markers of the new words are dropped, because the words are a part of a heading, table row or line. */
const dropsMarkers = (markdown: Markdown, { from, to }: Span, mode: Mode | undefined): boolean => {
  const { text } = markdown
  if (oneLineRegionAt(markdown, { from, to })) return !isItem(text.slice(from, to))
  const isWithinLine = !isLinePrefix(lineBefore(text, from)) || hasWords(text.slice(to, lineEnd(text, to)))
  // In the mode `concise`, every rule is sent with a list marker, so it does not mean that the rule is an item.
  return mode === 'concise' && isWithinLine
}

/** Keeps a rule's labels if the replaced words have them; else: `Rule: use x\nReason: it is so` → `use x. it is so` */
const wordingOf = (rule: string, replaced: string, mode: Mode | undefined): string => {
  if (hasRuleLabel(replaced) && mode !== 'concise') return withLineFeeds(rule).trimEnd()
  const { sentence, reason } = parseRuleText(rule, mode)
  if (reason === '') return sentence
  if (mode === 'verbose' || /(?:^|[\s>])Reason:/.test(replaced)) return `${sentence}\nReason: ${reason}`
  const sentences = asSentences({ sentence, reason })
  return endsSentence(replaced) ? withFullStop(sentences) : sentences
}

/** Joins the wordings for one span: items and wordings after a `Reason:` line begin new lines; others are sentences. */
const joinWordings = ({ text, root }: Markdown, at: number, wordings: Array<string>): string => {
  const item = itemAt(root, at)
  const itemBreak = item !== undefined && isLoose(text, item) ? '\n\n' : '\n'
  const { marker } = linePrefix(lineBefore(text, at))
  const bullet = /^[-*+•]/.test(marker) ? marker : ''
  return wordings.reduce((joined, wording) => {
    if (/^[ \t]*\n/.test(wording)) return joined + wording
    if (isItem(wording)) return joined + itemBreak + wording
    const isAfterReason = /\nReason:.*$/.test(joined)
    return isAfterReason ? joined + itemBreak + bullet + wording : joined + spaceAfter(joined) + wording
  })
}

/** Returns the edit without a leading line break; `undefined` if it would change no word. */
const editInLine = (markdown: Markdown, { from, to }: Span, wording: string): Edit | undefined => {
  const { text } = markdown
  const before = lineBefore(text, from)
  const after = text.slice(to, to + 20)
  const unmarked = withoutRepeatedMarks(withoutRepeatedPrefix(wording, before), before, after)
  const words = withoutRepeatedEnd(unmarked, after)
  // If the span starts after the prefix of its line or in it, the parts of the prefix that the new words lack stay.
  const kept = isLinePrefix(before) ? keptPrefix(linePrefix(before + text.slice(from, to)), words) : ''
  const start = from + Math.max(0, kept.length - before.length)
  const oldWords = text.slice(start, to)
  const isOneLine = !words.includes('\n')
  if (isOneLine && areSameWords(words, oldWords)) return undefined
  const mustStayOneLine = overlapping(markdown.oneLineRegions, { from, to }).length > 0
    || linePrefix(words).marker.startsWith('#')
  const hadLines = /[\r\n]/.test(oldWords.trim())
  const newWords = isOneLine && hadLines && !mustStayOneLine
    ? wrapWords(words, { text, from: start, to })
    : indentLinesAt(markdown, from, words)
  return newWords === withLineFeeds(oldWords) ? undefined : { from: start, to, words: newWords }
}

/** Removes the list marker, box and `>` marks that a rule repeats from `before`: `- [ ] x` after `- ` → `[ ] x` */
const withoutRepeatedPrefix = (words: string, before: string): string => {
  if (!isLinePrefix(before)) return words
  const present = linePrefix(before)
  const { indent, marker, box } = linePrefix(words)
  if (present.marker !== '') return words.slice((indent + marker + (present.box && box)).length)
  return present.indent.includes('>') ? words.slice(indent.length) : words
}

/** Removes the emphasis or code marks that the text around a rule already has: `**x**` between `**` → `x` */
const withoutRepeatedMarks = (words: string, before: string, after: string): string => {
  const mark = /(?:\*\*|__|[*_`])$/.exec(before)?.[0] ?? ''
  const isRepeated = mark !== '' && after.startsWith(mark) && words.startsWith(mark)
    && words.indexOf(mark, mark.length) === words.length - mark.length
  return isRepeated ? words.slice(mark.length, -mark.length) : words
}

/** Removes a rule's end mark if the same mark follows; its full stop, if any end mark does: `x.` before `!` → `x` */
const withoutRepeatedEnd = (words: string, after: string): string => {
  const [end] = /(?<![.。!?！？])[.。!?！？]$/.exec(words) ?? ['']
  const nextEnd = /^(?:[*_~"'”’»)\]]*)([.。!?！？])/.exec(after)?.[1]
  const isRepeated = nextEnd !== undefined && (end === nextEnd || /^[.。]$/.test(end))
  return isRepeated ? words.slice(0, words.length - end.length) : words
}

/** Returns the part of the old line prefix that stays before new words. */
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
