/** The words of a block, after its sentences went and with the rules that stand in their place. */
import type { LineEnding } from '../text/line-ending.ts'
import type { Block } from './blocks.ts'
import { followsWords, precedesWords, prefixOf, type Span, spliced } from './lines.ts'
import { introduces, keepsIntroduction, labelsRules, type Outcome } from './plan.ts'
import { gapAt } from './sentences.ts'
import { childrenOf, isTagLine, type Node } from './tree.ts'

/** What a text is rewritten with. */
export type Rewrite = {
  text: string
  lineBreak: LineEnding
  /** Gives the words of a rule; all lines but the first begin with a prefix. */
  ruleAt: (rule: number, prefix: string) => string
  outcomesOf: (node: Node | undefined) => Array<Outcome>
  /** What follows the numbers of the last list of each depth, and how many items those lists got. */
  numbered: Map<number, { next: number; added: number }>
}

/** Gives the marks in a span of what began before it, and those of what ends after it. */
type MarksIn = (span: Span) => { closing: string; opening: string }

/** Finds the brackets of a block, each with its counterpart. */
const bracketsIn = ({ from, masked }: Block): Array<[Span, Span]> => {
  const [open, found]: [Array<Span>, Array<[Span, Span]>] = [[], []]
  for (const { index, 0: sign } of masked.matchAll(/[()（）]/g)) {
    const span = { from: from + index, to: from + index + 1 }
    if (/[(（]/.test(sign)) open.push(span)
    else if (open.length > 0) found.push([open.pop()!, span])
  }
  return found
}

/** Reads the marks at both ends of what has two in a block: emphasis, brackets, and what stands in a tag. */
const marksOf = (text: string, block: Block): MarksIn => {
  const marked = bracketsIn(block)
  const open: Array<Span & { tag: string }> = []
  block.node.cursor().iterate(({ name, node: { from, to, firstChild, lastChild } }) => {
    if (/^(?:(?:Strong)?Emphasis|Strikethrough)$/.test(name)) marked.push([firstChild!, lastChild!])
    const [, slash, tag] = name === 'HTMLTag' ? /^<(\/?)([\w.:-]+)/.exec(text.slice(from, to)) ?? [] : []
    if (tag === undefined) return
    if (slash === '') return void open.push({ tag, from, to })
    const at = open.findLastIndex((one) => one.tag === tag)
    if (at >= 0) marked.push([open.splice(at)[0]!, { from, to }])
  })
  return (span) => {
    const marks = { closing: '', opening: '' }
    const markOf = ({ from, to }: Span) => from >= span.from && to <= span.to ? text.slice(from, to) : ''
    for (const [first, last] of marked) {
      if (first.from < span.from) marks.closing += markOf(last)
      if (last.to > span.to) marks.opening += markOf(first)
    }
    return marks
  }
}

const LINE_BREAK = /[\r\n]/

/** Gives what further lines of a block begin with: as many spaces as its sign, but for a tag. */
const prefixOfLines = (text: string, { from, sign, closing }: Block): string =>
  prefixOf(text, closing === '' ? from : from - sign.length)

/** Gives a block without its restated sentences. A mark or tag stays with its counterpart, and a line break stays. */
export const withoutRestated = (
  { text, lineBreak }: Rewrite,
  { block, sentences, leadInEnd }: Outcome,
): string => {
  if (!sentences.some(({ isGone }) => isGone)) return text.slice(block.from, block.to)
  const marksIn = marksOf(text, block)
  const cuts = sentences.flatMap((sentence, index) => {
    const previous = sentences[index - 1]
    if (!sentence.isGone || previous?.isGone === true) return []
    let end = index + 1
    while (sentences[end]?.isGone) end++
    const next = sentences[end]
    const span = { from: previous?.to ?? leadInEnd, to: next?.from ?? block.to }
    const isAtEdge = span.from === block.from || next === undefined
    const gap = isAtEdge ? '' : text.slice(span.from, sentence.from)
    const isBroken = gap !== '' && !LINE_BREAK.test(gap) && LINE_BREAK.test(text.slice(span.from, span.to))
    const { closing, opening } = marksIn(span)
    return [{ ...span, text: closing + (isBroken ? lineBreak + prefixOfLines(text, block) : gap) + opening }]
  })
  return spliced(text, block, cuts)
}

/**
 * Gives the lead-in of a block with its rules.
 *
 * @param indent what the lines of one rule begin with, which stands on the line of the lead-in
 * @param below rules on lines of their own: several, or one that stood so
 */
export const leadInWith = (
  { text, ruleAt }: Rewrite,
  outcome: Outcome,
  indent: string,
  below: string,
): string => {
  const { block, leadInEnd, rules: [rule, ...others] } = outcome
  const gap = gapAt(block, leadInEnd)
  const isBelow = others.length > 0 || /[\r\n]/.test(gap)
  const leadIn = text.slice(block.from, leadInEnd)
    + marksOf(text, block)({ from: leadInEnd, to: block.to }).closing
  if (rule === undefined) return leadIn
  return isBelow ? leadIn.replace(/\s+[-–—]$/, '') + below : leadIn + (gap && ' ') + ruleAt(rule, indent)
}

/** Whether nothing stays of a node. */
export const isGone = (rewrite: Pick<Rewrite, 'outcomesOf'>, node: Node): boolean => {
  const outcomes = rewrite.outcomesOf(node)
  if (outcomes.length > 0) return outcomes.every(({ count }) => count === 0)
  const children = childrenOf(node)
  return /List|quote/.test(node.name) && children.length > 0
    && children.every((child) => isGone(rewrite, child))
}

/** Whether the last line of a block will be an item. */
const endsAsList = (outcome: Outcome): boolean => {
  const { block, rules, stays, leadInEnd } = outcome
  return rules.length > 0 && block.sign === '' && !keepsIntroduction(outcome) && !labelsRules(outcome)
    && (stays !== 'lead-in' || rules.length > 1 || LINE_BREAK.test(gapAt(block, leadInEnd)))
}

/**
 * Gives a paragraph with its rules: as a list in its place, after it, or after its lead-in.
 *
 * @param lead what stands before the paragraph in its first line
 */
export const paragraphWith = (rewrite: Rewrite, outcome: Outcome, lead: string): string => {
  const { text, lineBreak, ruleAt } = rewrite
  const { block, rules, stays } = outcome
  const prefix = prefixOfLines(text, block)
  const blankLine = lineBreak + prefix.trimEnd()
  const gap = blankLine + lineBreak + prefix
  if (block.sign !== '' && stays !== 'lead-in') {
    const rest = stays === 'nothing' ? [] : [withoutRestated(rewrite, outcome)]
    const before = lineBreak + prefixOf(text, block.from - block.sign.length) + block.sign
    return lead + [...rest, ...rules.map((rule) => ruleAt(rule, prefix))].join(block.closing + before)
      + block.closing
  }
  const isAbove = keepsIntroduction(outcome)
  // Rules before indented code are paragraphs, since it would become part of the list; so is one that introduces a list,
  // which would continue with its items.
  const isIntroduction = introduces(block) && stays !== 'sentences' && block.next?.name === 'BulletList'
    && !isGone(rewrite, block.next)
  const isBeforeCode = block.next?.name === 'CodeBlock' && !isAbove
  // Below a blank line, words so deep in tags would be code.
  const [isBelowTag, isAboveTag] = [block.previous, block.next].map((node) =>
    prefix.length > 3 && isTagLine(text, node)
  )
  const plain = isBeforeCode ? rules : isIntroduction ? rules.slice(-1) : []
  const items = rules.slice(0, rules.length - plain.length).map((rule) => `- ${ruleAt(rule, `${prefix}  `)}`)
  const paragraphs = plain.map((rule) => ruleAt(rule, prefix)).map((words) =>
    isIntroduction ? words.replace(/[.:]?$/m, ':') : words
  )
  const list = [items.join(lineBreak + prefix), ...paragraphs].filter((part) => part !== '').join(gap)
  const isAfterWords = block.previous !== undefined && !isBelowTag && followsWords(text, block.from)
  // Next to another line of the paragraph that becomes items.
  const lines = rewrite.outcomesOf(block.node).filter(({ count }) => count > 0)
  const [before, after] = [-1, 1].map((step) => lines[lines.indexOf(outcome) + step])
  const isJoined = stays === 'nothing' && after?.stays === 'nothing' && endsAsList(after)
  const lineBefore = isAfterWords && !(before && endsAsList(before)) ? prefix.trimEnd() + lineBreak : ''
  const lineAfter = block.next !== undefined && !isAboveTag && precedesWords(text, block.to) && !isJoined
    ? blankLine
    : ''
  if (stays === 'lead-in') {
    return lead + leadInWith(rewrite, outcome, prefix, gap + list + lineAfter) + block.closing
  }
  if (stays === 'nothing') return lineBefore + lead + list + (isIntroduction ? '' : lineAfter)
  const rest = withoutRestated(rewrite, outcome)
  if (labelsRules(outcome)) {
    const after = rest.slice(outcome.leadInEnd - block.from).replace(/^(?:[\r\n][ \t>]*|\s)+/, '')
    return lead + leadInWith(rewrite, outcome, prefix, gap + list) + gap + after
  }
  if (rules.length === 0) return lead + rest
  return isAbove ? lineBefore + lead + list + gap + rest : lead + rest + gap + list + lineAfter
}
