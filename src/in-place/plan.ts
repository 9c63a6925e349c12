import type { Block, Markdown } from './blocks.ts'
import type { Place } from './find-sources.ts'
import { gapAt, type Sentence, sentencesOf } from './sentences.ts'

type Restating = Place & { rule: number }

type Restatable = Sentence & { isGone: boolean }

/** How a block changes. */
export type Outcome = {
  block: Block
  /** The rules that stand here in place of its sentences, by their indexes. */
  rules: Array<number>
  /** The places in it of these rules and of others, whose words only go. */
  places: Array<Restating>
  /** Its sentences after the lead-in. */
  sentences: Array<Restatable>
  /** The end of the lead-in that stays, such as `**Dates:**`; the start of the block where there is none. */
  leadInEnd: number
  stays: 'nothing' | 'lead-in' | 'sentences'
  /** How many items replace it, if it is one. */
  count: number
}

const COLON = /:["'*_”’»)\]]*(?=\s)|：["'*_”’»）\]]*/g

// A bold label at the start of a block: "**Tag.** …", "**Tag** – …".
const LABEL = /^(?:\*\*|__)[^*_]+(?:[.。](?:\*\*|__)|(?:\*\*|__)\s*(?:[.。]|[-–—](?=\s)))/

/**
 * Finds the end of the lead-in of a block: the last colon before the restated words, or a bold label. Gives the start of
 * the block where there is none.
 *
 * @param restated where the restated words begin
 */
const leadInEndOf = ({ from, masked }: Block, head: Restatable, restated: number): number => {
  const label = from + (LABEL.exec(masked)?.[0].length ?? 0)
  if (!head.isGone) return head.to === label ? label : from
  const colon = [...masked.slice(0, restated - from + 1).matchAll(COLON)].at(-1)
  const ends = [label, from + (colon === undefined ? 0 : colon.index + colon[0].length)]
  return Math.max(from, ...ends.filter((end) => end <= restated))
}

const outcomeOf = (block: Block, places: Array<Restating>, standing: Array<Restating>): Outcome => {
  const [head, ...rest] = sentencesOf(block, places).map((sentence): Restatable => ({
    ...sentence,
    isGone: !sentence.isComment && places.some(({ from, to }) => from < sentence.to && sentence.from < to),
  })) as [Restatable, ...Array<Restatable>]
  const leadInEnd = leadInEndOf(block, head, Math.min(...places.map(({ from }) => from)))
  const afterLeadIn = { ...head, from: leadInEnd + gapAt(block, leadInEnd).length }
  const sentences = leadInEnd === head.to ? rest : [afterLeadIn, ...rest]
  const rules = standing.toSorted((one, other) => one.from - other.from).map(({ rule }) => rule)
  const stays = !sentences.every(({ isGone }) => isGone)
    ? 'sentences'
    : leadInEnd > block.from
    ? 'lead-in'
    : 'nothing'
  const count = stays === 'lead-in' ? 1 : rules.length + (stays === 'nothing' ? 0 : 1)
  return { block, rules, places, sentences, leadInEnd, stays, count }
}

/**
 * Plans how each block that a place touches changes: which of its sentences are removed, which rules are inserted.
 *
 * @param places the places of each rule: it is inserted at the first one, and its words are removed from all. A rule
 * without a place stands after the rule before it, a first one before the next
 */
export const planOutcomes = ({ blocks }: Markdown, places: Array<Array<Place>>): Map<Block, Outcome> => {
  const touched = new Map<Block, { places: Array<Restating>; standing: Array<Restating> }>()
  const ofBlock = (block: Block) => {
    const known = touched.get(block) ?? { places: [], standing: [] }
    touched.set(block, known)
    return known
  }
  let anchor = places.find((ofRule) => ofRule.length > 0)?.[0]
  places.forEach((ofRule, rule) => {
    for (const place of ofRule) ofBlock(place.block).places.push({ ...place, rule })
    anchor = ofRule[0] ?? anchor
    if (anchor !== undefined) ofBlock(anchor.block).standing.push({ ...anchor, rule })
  })
  return new Map(blocks.flatMap((block) => {
    const found = touched.get(block)
    return found === undefined ? [] : [[block, outcomeOf(block, found.places, found.standing)] as const]
  }))
}
