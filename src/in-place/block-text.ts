/** The words of a block, after its sentences went and with the rules that stand in their place. */
import type { LineEnding } from '../text/line-ending.ts'
import type { Block } from './blocks.ts'
import { followsWords, precedesWords, prefixOf, type Span, spliced } from './lines.ts'
import type { Outcome } from './plan.ts'
import { gapAt } from './sentences.ts'

/** What is rewritten; `ruleAt` gives the words of a rule, with all lines but the first after a prefix. */
export type Rewrite = {
  text: string
  lineBreak: LineEnding
  ruleAt: (rule: number, prefix: string) => string
}

/** Gives the marks in a span whose emphasis began before it, and those whose emphasis ends after it. */
const marksIn = (text: string, { node }: Block, span: Span): { closing: string; opening: string } => {
  const marks = { closing: '', opening: '' }
  const markOf = (mark: Span) =>
    mark.from >= span.from && mark.to <= span.to ? text.slice(mark.from, mark.to) : ''
  node.cursor().iterate(({ name, node: { from, to, firstChild, lastChild } }) => {
    if (!/^(?:(?:Strong)?Emphasis|Strikethrough)$/.test(name)) return
    if (from < span.from) marks.closing += markOf(lastChild!)
    if (to > span.to) marks.opening += markOf(firstChild!)
  })
  return marks
}

const LINE_BREAK = /[\r\n]/

/** Gives a block without its restated sentences. A mark of emphasis stays with its counterpart, and a line break stays. */
export const withoutRestated = (
  { text, lineBreak }: Rewrite,
  { block, sentences, leadInEnd }: Outcome,
): string => {
  const cuts = sentences.flatMap((sentence, index) => {
    const [previous, next] = [sentences[index - 1], sentences.slice(index).find(({ isGone }) => !isGone)]
    if (!sentence.isGone || previous?.isGone === true) return []
    const span = { from: previous?.to ?? leadInEnd, to: next?.from ?? block.to }
    const isAtEdge = span.from === block.from || next === undefined
    const gap = isAtEdge ? '' : text.slice(span.from, sentence.from)
    const isBroken = gap !== '' && !LINE_BREAK.test(gap) && LINE_BREAK.test(text.slice(span.from, span.to))
    const { closing, opening } = marksIn(text, block, span)
    return [{ ...span, text: closing + (isBroken ? lineBreak + prefixOf(text, block.from) : gap) + opening }]
  })
  return spliced(text, block, cuts)
}

/**
 * Gives the lead-in of a block with its rules.
 *
 * @param indent what the lines of one rule begin with, which stands on the line of the lead-in
 * @param below several rules on lines of their own
 */
export const leadInWith = (
  { text, ruleAt }: Rewrite,
  outcome: Outcome,
  indent: string,
  below: string,
): string => {
  const { block, leadInEnd, rules: [rule, ...others] } = outcome
  const gap = gapAt(block, leadInEnd) === '' ? '' : ' '
  const words = others.length > 0 ? below : rule === undefined ? '' : gap + ruleAt(rule, indent)
  return text.slice(block.from, leadInEnd) + marksIn(text, block, { from: leadInEnd, to: block.to }).closing
    + words
}

/** Whether a block ends in a colon. */
const introduces = (text: string, block: Block): boolean =>
  /[:：]["'*_”’»)\]]*$/.test(text.slice(block.from, block.to))

/**
 * Gives rules as a list. Before indented code they are paragraphs, since the code would become part of the list; so is
 * the last rule before a list, which would continue with its items.
 */
const listOf = (
  { text, lineBreak, ruleAt }: Rewrite,
  { block, rules, stays }: Outcome,
  prefix: string,
): string => {
  const isColon = introduces(text, block)
  const isIntroduction = stays !== 'sentences' && block.next?.name === 'BulletList' && isColon
  const isBeforeCode = block.next?.name === 'CodeBlock' && (stays !== 'sentences' || !isColon)
  const last = isBeforeCode ? 0 : isIntroduction ? rules.length - 1 : rules.length
  const items = rules.slice(0, last).map((rule) => `- ${ruleAt(rule, `${prefix}  `)}`).join(
    lineBreak + prefix,
  )
  const paragraphs = rules.slice(last).map((rule) =>
    ruleAt(rule, prefix).replace(isIntroduction ? /[.:]?$/ : /$/, isIntroduction ? ':' : '')
  )
  return [items, ...paragraphs].filter((part) => part !== '').join(
    lineBreak + prefix.trimEnd() + lineBreak + prefix,
  )
}

/**
 * Gives a paragraph with its rules: as a list in its place, after it, or after its lead-in.
 *
 * @param lead what stands before the paragraph in its first line
 */
export const paragraphWith = (rewrite: Rewrite, outcome: Outcome, lead: string): string => {
  const { text, lineBreak } = rewrite
  const { block, rules, stays } = outcome
  const prefix = prefixOf(text, block.from)
  const blankLine = lineBreak + prefix.trimEnd()
  const list = listOf(rewrite, outcome, prefix)
  const isAfterWords = block.previous !== undefined && followsWords(text, block.from)
  const lineBefore = isAfterWords ? prefix.trimEnd() + lineBreak : ''
  const lineAfter = block.next !== undefined && precedesWords(text, block.to) ? blankLine : ''
  if (stays === 'nothing') {
    // A paragraph that introduces a list stands right above it, as it did.
    const isPlain = block.next?.name === 'BulletList' && introduces(text, block)
    return lineBefore + lead + list + (isPlain ? '' : lineAfter)
  }
  const below = blankLine + lineBreak + prefix + list + lineAfter
  if (stays === 'lead-in') return lead + leadInWith(rewrite, outcome, prefix, below)
  const rest = withoutRestated(rewrite, outcome)
  if (rules.length === 0) return lead + rest
  // What ends in a colon introduces what stands below it: the rules go above.
  return introduces(text, block) && !outcome.sentences.at(-1)!.isGone
    ? lineBefore + lead + list + blankLine + lineBreak + prefix + rest
    : lead + rest + below
}
