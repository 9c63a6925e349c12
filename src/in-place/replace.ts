/** Replaces sources (words of a Markdown text) with the texts of their rules, and removes what would be left empty. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { lineEndingOf, withLineEnding, withLineFeeds } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import { indentLinesAt } from './indent-lines.ts'
import {
  isItem,
  isLinePrefix,
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
import { withoutRepeats } from './repeats.ts'
import {
  asSentences,
  endsSentence,
  hasRuleLabel,
  parseRuleText,
  spaceAfter,
  withFullStop,
} from './rule-text.ts'

/** `unchanged` has the indexes of the rules whose words already stood there. */
export type RewrittenText = { text: string; unchanged: Array<number> }

type Edit = Span & { words: string }

/** Replaces each span with the texts of the rules that are inserted there; if there are none, removes its words. */
export const replaceSources = (
  markdown: Markdown,
  spans: Array<ReplacedSpan>,
  ruleTexts: Array<string>,
  mode?: Mode,
): RewrittenText => {
  const unchanged: Array<number> = []
  const edits: Array<Edit> = []
  for (const span of spans) {
    const { from, insertedRules, unpaired } = span
    const { to, texts } = keepingUnderline(
      markdown,
      span,
      insertedRules.map((ruleIndex) => ruleTexts[ruleIndex]!),
    )
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

/**
 * Adapts the end of a span, and the texts, so that an underlined heading (`===`) keeps its underline, unless
 * the heading loses all its words or a `#` heading replaces the underline too.
 */
const keepingUnderline = ({ text, root }: Markdown, { from, to }: Span, texts: Array<string>) => {
  const heading = enclosingNode(root, from, ({ name }) => name.startsWith('SetextHeading'))
  const underline = heading?.lastChild
  if (!heading || !underline) return { to, texts }
  if (texts.length === 0) {
    const isEmptied = !hasWords(text.slice(heading.from, from) + text.slice(to, underline.from))
    return { to: isEmptied ? Math.max(to, underline.to) : to, texts }
  }
  // Above the underline, which stays, texts need no `#`.
  if (to <= underline.from) return { to, texts: texts.map((each) => each.replace(/^\s*#{1,6}[ \t]+/, '')) }
  const isNewHeading = texts[0]!.trimStart().startsWith('#')
  return { to: isNewHeading ? to : from + text.slice(from, underline.from).trimEnd().length, texts }
}

/** Returns the edit that puts texts in place of a span; `undefined` if their words already stand there. */
const editOf = (markdown: Markdown, span: Span, texts: Array<string>, mode?: Mode): Edit | undefined => {
  const { text } = markdown
  const before = lineBefore(text, span.from)
  const replaced = text.slice(span.from, span.to)
  const mustDropMarkers = dropsMarkers(markdown, span, mode)
  const wordings = texts.map((ruleText) => wordingOf(ruleText, replaced, mode))
    .map((wording) => mustDropMarkers && isItem(wording) ? withoutPrefix(wording) : wording)
  const joined = joinWordings(markdown, span.from, wordings)
  const breaks = breaksBefore(joined, replaced)
  // If only the prefix of the line is before them, the new words need no break.
  if (breaks === '' || isLinePrefix(before)) return editInLine(markdown, span, joined.trimStart())
  const [spaces] = /[ \t]*$/.exec(before)!
  const words = indentLinesAt(markdown, span.from, breaks + joined.replace(LEADING_BREAKS, ''))
  return { from: span.from - spaces.length, to: span.to, words }
}

const LEADING_BREAKS = /^(?:[ \t]*\n)+/

/** Returns the leading line breaks of new words; else one, if they are a list item and the replaced words are not. */
const breaksBefore = (newWords: string, replaced: string): string =>
  LEADING_BREAKS.exec(newWords)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(newWords) && !isItem(replaced) ? '\n' : '')

/** Whether list markers of the new words are dropped, because the words are a part of a heading, table row or line. */
const dropsMarkers = (markdown: Markdown, { from, to }: Span, mode: Mode | undefined): boolean => {
  const { text } = markdown
  if (oneLineRegionAt(markdown, { from, to })) return !isItem(text.slice(from, to))
  const isWithinLine = !isLinePrefix(lineBefore(text, from)) || hasWords(text.slice(to, lineEnd(text, to)))
  // In the mode `concise`, every rule is sent with a list marker, so the marker does not mean that the rule is an item.
  return mode === 'concise' && isWithinLine
}

/**
 * Keeps the labels of a rule if the replaced words have `Rule:` (not in `concise`). Else drops `Rule:`, and keeps
 * `Reason:` in `verbose` or if the replaced words have it; otherwise: `Rule: use x\nReason: it is so` →
 * `use x. it is so`
 */
const wordingOf = (ruleText: string, replaced: string, mode: Mode | undefined): string => {
  if (hasRuleLabel(replaced) && mode !== 'concise') return withLineFeeds(ruleText).trimEnd()
  const { sentence, reason } = parseRuleText(ruleText, mode)
  if (reason === '') return sentence
  if (mode === 'verbose' || /(?:^|[\s>])Reason:/.test(replaced)) return `${sentence}\nReason: ${reason}`
  const withReason = asSentences({ sentence, reason })
  return endsSentence(replaced) ? withFullStop(withReason) : withReason
}

/** Joins the wordings for one span: items and wordings after a `Reason:` line begin new lines; others are appended. */
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

/** Returns the edit that begins on the line of the span; `undefined` if it would change no word. */
const editInLine = (markdown: Markdown, { from, to }: Span, wording: string): Edit | undefined => {
  const { text } = markdown
  const before = lineBefore(text, from)
  const words = withoutRepeats(wording, before, text.slice(to, to + 20))
  // If at most the prefix of the line is before the span, those parts of the prefix stay that the new words lack.
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
