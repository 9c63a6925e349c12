/** Replaces sources (words of a Markdown text) with the texts of their rules, and removes emptied lines. */
import type { Mode } from '../rule-schema.ts'
import type { Span } from '../text/changed-range.ts'
import { lineEndingOf, linesOf, withLineEnding, withLineFeeds } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import { indentLinesAt, wrapWords } from './indent-lines.ts'
import { isItem, isLinePrefix, lineBefore, lineEnd, linePrefix, markerKind, withoutPrefix } from './lines.ts'
import { blockAt, isLoose, itemAt, type Markdown, oneLineRegionAt, overlapping } from './markdown-parts.ts'
import type { ReplacedSpan } from './place-sources.ts'
import { REMOVED, withoutRemoved } from './removed-lines.ts'
import { type Surroundings, withoutRepeatedStart, withoutRepeats } from './repeated-marks.ts'
import { asSentences, hasRuleLabel, parseRuleText, spaceAfter } from './rule-text.ts'

type Edit = Span & { words: string }

/** A span of `markdown` to replace. */
type Place = Span & Surroundings & { markdown: Markdown }

/**
 * Replaces each span with the texts of its `insertedRules`, and removes a span without any.
 * `unchanged` lists the indexes of the rules whose words the text already had.
 */
export const replaceSources = (
  markdown: Markdown,
  spans: Array<ReplacedSpan>,
  ruleTexts: Array<string>,
  mode?: Mode,
) => {
  const unchanged: Array<number> = []
  const edits: Array<Edit> = []
  for (const span of spans) {
    const { from, insertedRules, unpaired } = span
    const { to, texts } = keepingUnderline(markdown, span, insertedRules.map((index) => ruleTexts[index]!))
    const edit = texts.length === 0
      ? { from, to, words: REMOVED }
      : editOf(markdown, { from, to }, texts, mode)
    if (edit === undefined) unchanged.push(...insertedRules)
    // The edit removes the counterparts of these emphasis marks, so the marks go, too.
    else edits.push(edit, ...unpaired.map((mark) => ({ from: mark.from, to: mark.to, words: '' })))
  }
  return { text: withoutRemoved(applyEdits(markdown.text, edits)), unchanged }
}

const applyEdits = (text: string, edits: Array<Edit>): string => {
  const lineEnding = lineEndingOf(text)
  let [rewritten, end] = ['', 0]
  for (const { from, to, words } of edits.toSorted((a, b) => a.from - b.from)) {
    // An earlier edit has already replaced this unpaired emphasis mark.
    if (from < end) continue
    rewritten += text.slice(end, from) + withLineEnding(words, lineEnding)
    end = to
  }
  return rewritten + text.slice(end)
}

/** Adapts the end and the texts of a span that begins in a heading with an underline (`===`). */
const keepingUnderline = ({ text, root }: Markdown, { from, to }: Span, texts: Array<string>) => {
  const heading = blockAt(root, from)
  if (!heading?.name.startsWith('Setext')) return { to, texts }
  const underline = heading.lastChild!
  if (texts.length === 0) {
    const losesAllWords = !hasWords(text.slice(heading.from, from) + text.slice(to, underline.from))
    return { to: losesAllWords ? Math.max(to, underline.to) : to, texts }
  }
  if (to <= underline.from) return { to, texts: texts.map((each) => withoutHeadingMark(each)) }
  const isNewHeading = texts[0]!.trimStart().startsWith('#')
  return { to: isNewHeading ? to : from + text.slice(from, underline.from).trimEnd().length, texts }
}

const editOf = (markdown: Markdown, { from, to }: Span, texts: Array<string>, mode?: Mode) => {
  const { text } = markdown
  const before = lineBefore(text, from)
  const replaced = text.slice(from, to)
  const place = { markdown, from, to, before, replaced, after: text.slice(to, lineEnd(text, to)) }
  const wordings = texts.map((ruleText) => wordingOf(ruleText, place, mode))
    .map((wording) => isItem(wording) && dropsMarker(place, wording, mode) ? withoutPrefix(wording) : wording)
  const newWords = withoutRepeatedStart(joinWordings(place, wordings), before)
  const breaks = breaksBefore(newWords, replaced)
  if (breaks === '' || isLinePrefix(before)) return editInLine(place, newWords.trimStart())
  const [spaces] = /[ \t]*$/.exec(before)!
  const words = indentLinesAt(markdown, from, breaks + newWords.replace(LEADING_BREAKS, ''))
  return { from: from - spaces.length, to, words }
}

const LEADING_BREAKS = /^(?:[ \t]*\n)+/

const breaksBefore = (newWords: string, replaced: string): string =>
  LEADING_BREAKS.exec(newWords)?.[0].replace(/[ \t]/g, '')
    ?? (isItem(newWords) && !isItem(replaced) ? '\n' : '')

const dropsMarker = (place: Place, wording: string, mode: Mode | undefined): boolean => {
  const replacedKind = markerKind(withoutHeadingMark(place.replaced))
  const isOtherKind = replacedKind !== markerKind(wording)
  // In a heading `## 1. Use x`, the number belongs to the words.
  if (oneLineRegionAt(place.markdown, place)) return isOtherKind
  const isWithinLine = !isLinePrefix(place.before) || hasWords(place.after)
  // In the mode `concise`, the text of each rule begins with `- `, even if it goes into a paragraph.
  return mode === 'concise' && (isWithinLine || (replacedKind !== '' && isOtherKind))
}

const withoutHeadingMark = (line: string): string => line.replace(/^\s*#{1,6}[ \t]+/, '')

/** Returns the rule with or without its labels: `Rule: use x\nReason: so` → `use x. so` */
const wordingOf = (ruleText: string, { replaced, after }: Place, mode: Mode | undefined): string => {
  if (hasRuleLabel(replaced) && mode !== 'concise') return withLineFeeds(ruleText).trimEnd()
  const { sentence, reason } = parseRuleText(ruleText, mode)
  const hasReasonLine = mode === 'verbose' || /(?:^|[\s>])Reason:/.test(replaced)
  // Words behind a reason line would become a part of the reason.
  if (reason !== '' && hasReasonLine && !hasWords(after)) return `${sentence}\nReason: ${reason}`
  return asSentences({ sentence, reason }, replaced)
}

/** Joins wordings by spaces, but begins a new line for a list item, and after a `Reason:` line. */
const joinWordings = ({ markdown: { text, root }, from, before }: Place, wordings: Array<string>): string => {
  const itemBreak = isLoose(text, itemAt(root, from)) ? '\n\n' : '\n'
  const { marker } = linePrefix(before)
  const bullet = /^[-*+•]/.test(marker) ? marker : ''
  return wordings.reduce((joined, wording) => {
    if (LEADING_BREAKS.test(wording)) return joined + wording
    if (isItem(wording)) return joined + itemBreak + wording
    if (/\nReason:.*$/.test(joined)) return joined + itemBreak + bullet + wording
    return joined + spaceAfter(joined) + wording
  })
}

const editInLine = (place: Place, wording: string): Edit | undefined => {
  const { markdown, from, to, before, replaced } = place
  const { text } = markdown
  const words = withoutRepeats(wording, place)
  // If `Use y` replaces `- Use x`, the `- ` stays.
  const kept = isLinePrefix(before) ? keptPrefix(before + replaced, words) : ''
  const start = from + Math.max(0, kept.length - before.length)
  const oldWords = text.slice(start, to)
  const isOneLine = !words.includes('\n')
  if (words === withLineFeeds(oldWords) || (isOneLine && areSameWords(words, oldWords))) return undefined
  const mustStayOneLine = overlapping(markdown.oneLineRegions, { from, to }).length > 0
    || linePrefix(words).marker.startsWith('#')
  const [, ...furtherLines] = linesOf(oldWords.trim())
  const wasWrapped = furtherLines.length > 0 && !furtherLines.some(isItem)
  const formatted = isOneLine && wasWrapped && !mustStayOneLine
    ? wrapWords(words, { text, from: start, to })
    : indentLinesAt(markdown, from, words)
  return formatted === withLineFeeds(oldWords) ? undefined : { from: start, to, words: formatted }
}

/** Returns the part of the old prefix that stays before the new words: `- ` if `[x] use y` replaces `- [ ] use x` */
const keptPrefix = (oldLine: string, words: string): string => {
  const old = linePrefix(oldLine)
  const { indent, marker } = linePrefix(words)
  // In `## 1. Use y`, the number is no list marker.
  if (old.marker.startsWith('#') && isItem(words)) return old.indent + old.marker
  if (marker !== '') return indent.includes('>') ? '' : old.indent
  const hasBox = /^\[[ xX]\][ \t]/.test(words)
  return old.indent + old.marker + (hasBox ? '' : old.box)
}

/** Ignores whitespace, and the `>` marks of continued quotations. */
const areSameWords = (a: string, b: string): boolean => {
  const [first, second] = [a, b].map((text) => text.replace(/\s*[\r\n][\s>]*|\s+/g, ' ').trim())
  return first === second
}
