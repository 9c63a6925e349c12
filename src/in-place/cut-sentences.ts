import { withLineFeeds } from '../text/line-ending.ts'
import type { Block, Span } from './blocks.ts'
import { prefixOf } from './lines.ts'
import type { Outcome } from './plan.ts'
import { gapAt } from './sentences.ts'

/** A span of a text, and what stands in its place. */
export type Replacement = Span & { text: string }

const LINE_BREAK = /[\r\n]/

/** Gives the marks in a span whose emphasis continues before or after it. */
const marksIn = (text: string, block: Block, span: Span): { closing: string; opening: string } => {
  const marks = (isCut: (whole: Span) => boolean) =>
    block.emphasis.filter(({ whole }) => isCut(whole)).flatMap((one) => one.marks)
      .filter((mark) => mark.from >= span.from && mark.to <= span.to)
      .map((mark) => text.slice(mark.from, mark.to)).join('')
  return {
    closing: marks((whole) => whole.from < span.from && whole.to <= span.to),
    opening: marks((whole) => whole.from >= span.from && whole.to > span.to),
  }
}

/** Removes sentences from a block. A mark of emphasis stays with its counterpart, and one of several line breaks stays. */
export const cutSentences = (
  text: string,
  { block, sentences, leadIn }: Outcome,
): Array<Replacement> =>
  sentences.flatMap((sentence, index) => {
    const [previous, next] = [sentences[index - 1], sentences.slice(index).find(({ isGone }) => !isGone)]
    if (!sentence.isGone || previous?.isGone === true) return []
    const start = previous?.to ?? leadIn.to
    const span = { from: start, to: next?.from ?? sentences.at(-1)!.to }
    const isAtEdge = start === block.from || next === undefined
    const gap = isAtEdge ? '' : withLineFeeds(text.slice(start, sentence.from))
    const isBroken = gap !== '' && !LINE_BREAK.test(gap) && LINE_BREAK.test(text.slice(span.from, span.to))
    const { closing, opening } = marksIn(text, block, span)
    return [{ ...span, text: closing + (isBroken ? `\n${prefixOf(text, block.from)}` : gap) + opening }]
  })

/**
 * Replaces what stands after a lead-in.
 *
 * @param words one rule, which stands on its line, or lines that begin with a line break
 */
export const afterLeadIn = (text: string, { block, leadIn }: Outcome, words: string): Replacement => {
  const span = { from: leadIn.to, to: block.to }
  const gap = words === '' || words.startsWith('\n') || gapAt(block, leadIn.to) === '' ? '' : ' '
  return { ...span, text: marksIn(text, block, span).closing + gap + words }
}
