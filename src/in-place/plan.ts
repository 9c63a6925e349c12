import type { Block, Markdown, Span } from './blocks.ts'
import type { Place } from './find-sources.ts'
import { groupBy } from './group-by.ts'
import { gapAt, labelEnd, leadInEnd, type Sentence, sentencesOf } from './sentences.ts'

/** How a block changes. */
export type Outcome = {
  block: Block
  /** The rules that stand here in place of its sentences, by their indexes. */
  rules: Array<number>
  sentences: Array<Sentence & { isGone: boolean }>
  /** The lead-in that stays, such as `**Dates:**`; empty where there is none. */
  leadIn: Span
  /** Whether no sentence stays but the lead-in. */
  isWhole: boolean
}

/** Whether the rules replace a whole block, its lead-in included. */
export const isReplaced = ({ isWhole, leadIn }: Outcome): boolean => isWhole && leadIn.to === leadIn.from

/** Places a rule without a source after the rule before it, and a first one before the next. */
const anchorsOf = (places: Array<Array<Place>>): Array<Place | undefined> => {
  const first = places.find((ofRule) => ofRule.length > 0)?.[0]
  let anchor = first
  return places.map(([own]) => anchor = own ?? anchor)
}

/**
 * Plans how each block that a place touches changes: which of its sentences are removed, which rules are inserted.
 *
 * @param places the places of each rule: it is inserted at the first one, and its words are removed from all
 */
export const planOutcomes = ({ blocks }: Markdown, places: Array<Array<Place>>): Map<Block, Outcome> => {
  const touching = groupBy(places.flat(), ({ block }) => block)
  const anchored = anchorsOf(places).flatMap((anchor, rule) => anchor === undefined ? [] : [{ rule, anchor }])
  const standing = groupBy(anchored, ({ anchor }) => anchor.block)
  const outcomeOf = (block: Block, touched: Array<Place>): Outcome => {
    const all = sentencesOf(block, touched).map((sentence) => ({
      ...sentence,
      isGone: !sentence.isComment && touched.some(({ from, to }) => from < sentence.to && sentence.from < to),
    }))
    const [head] = all
    const isLabelled = all.length > 1 && !head!.isGone && head!.to === labelEnd(block)
    const first = Math.min(...touched.map(({ from }) => from))
    const end = isLabelled ? head!.to : head!.isGone ? leadInEnd(block, first) : block.from
    const sentences = isLabelled ? all.slice(1) : all
    if (!isLabelled) head!.from = end + gapAt(block, end).length
    return {
      block,
      sentences,
      rules: (standing.get(block) ?? []).sort((one, other) => one.anchor.from - other.anchor.from)
        .map(({ rule }) => rule),
      leadIn: { from: block.from, to: end },
      isWhole: sentences.every(({ isGone }) => isGone),
    }
  }
  return new Map(
    blocks.flatMap((block) => {
      const touched = touching.get(block)
      return touched === undefined ? [] : [[block, outcomeOf(block, touched)] as const]
    }),
  )
}
