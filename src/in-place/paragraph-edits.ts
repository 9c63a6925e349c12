import type { Block } from './blocks.ts'
import { afterLeadIn, cutSentences, type Replacement } from './cut-sentences.ts'
import { followsWords, lineStart, precedesWords, prefixOf } from './lines.ts'
import { isReplaced, type Outcome } from './plan.ts'

/** Gives the words of a rule; all its lines but the first begin with a prefix. */
type RuleAt = (rule: number, prefix: string) => string

/** Whether a block ends in a colon. */
const introduces = (text: string, block: Block): boolean =>
  /[:：]["'*_”’»)\]]*$/.test(text.slice(block.from, block.to))

/**
 * Gives rules as a list. Before indented code they are paragraphs, since the code would become part of the list; so is
 * the last rule before a list, which would continue with its items.
 */
const listOf = (text: string, { block, rules, isWhole }: Outcome, prefix: string, ruleAt: RuleAt): string => {
  const isColon = introduces(text, block)
  const isIntroduction = isWhole && block.next === 'bullets' && isColon
  const isBeforeCode = block.next === 'code' && (isWhole || !isColon)
  const plainFrom = isBeforeCode ? 0 : isIntroduction ? rules.length - 1 : rules.length
  return rules.map((rule, index) => {
    const isPlain = index >= plainFrom
    const words = isPlain ? ruleAt(rule, prefix) : `- ${ruleAt(rule, `${prefix}  `)}`
    const gap = index === 0 ? '' : isPlain ? `\n${prefix.trimEnd()}\n${prefix}` : `\n${prefix}`
    return gap + (isPlain && isIntroduction ? words.replace(/[.:]?$/, ':') : words)
  }).join('')
}

/** Puts rules in the place of a paragraph, or of some of its sentences: as a list after it, or after its lead-in. */
export const paragraphEdits = (text: string, outcome: Outcome, ruleAt: RuleAt): Array<Replacement> => {
  const { block, rules, isWhole } = outcome
  const prefix = prefixOf(text, block.from)
  const blankLine = `\n${prefix.trimEnd()}`
  const list = listOf(text, outcome, prefix, ruleAt)
  const lineAfter = precedesWords(text, block.to) && !block.isLast ? blankLine : ''
  const start = lineStart(text, block.from)
  const lineBefore = block.isFirst || !followsWords(text, block.from)
    ? []
    : [{ from: start, to: start, text: `${prefix.trimEnd()}\n` }]
  if (isReplaced(outcome)) {
    // A paragraph that introduces a list stands right above it, as it did.
    const isPlain = block.next === 'bullets' && introduces(text, block)
    return [...lineBefore, { from: block.from, to: block.to, text: list + (isPlain ? '' : lineAfter) }]
  }
  if (isWhole) {
    const below = `${blankLine}\n${prefix}${list}${lineAfter}`
    const one = rules.length === 0 ? '' : ruleAt(rules[0]!, prefix)
    return [afterLeadIn(text, outcome, rules.length > 1 ? below : one)]
  }
  const cut = cutSentences(text, outcome)
  if (rules.length === 0) return cut
  // What ends in a colon introduces what stands below it: the rules go above.
  return introduces(text, block) && !outcome.sentences.at(-1)!.isGone
    ? [...cut, ...lineBefore, { from: block.from, to: block.from, text: `${list}${blankLine}\n${prefix}` }]
    : [...cut, { from: block.to, to: block.to, text: `${blankLine}\n${prefix}${list}${lineAfter}` }]
}
