import type { Block, Markdown } from './blocks.ts'
import type { Place } from './find-sources.ts'
import type { Span } from './lines.ts'
import { gapAt, type Sentence, sentencesOf } from './sentences.ts'
import type { Node } from './tree.ts'

/** What becomes of a block. */
export type Outcome = {
  block: Block
  /** Where rules restate it, in the order of the rules. */
  places: Array<Place>
  /** Its sentences after the lead-in, without a reason. */
  sentences: Array<Sentence & { isGone: boolean }>
  /** The end of the lead-in that stays, such as `**Dates:**`; the start of the block where there is none. */
  leadInEnd: number
  stays: 'nothing' | 'lead-in' | 'sentences'
  /** The rules that stand here, by their indexes. */
  rules: Array<number>
  /** The lines from `Reason:` on, where the words before them are restated. */
  reason: Span | undefined
  /** How many items stand in its place, where it is one. */
  count: number
}

/** What becomes of the blocks of each paragraph, by its start. */
export type Outcomes = Map<number, Array<Outcome>>

const COLON = /:["'*_”’»)\]]*(?=\s)|：["'*_”’»）\]]*/g

// A label at the start of a block: "**1. …", "A. …", "Step 1. …"; "**Tag.** …", or on a line of its own; "**A-1 (MUST)** …";
// "[A-1] …", "A-1 …"; "*Tag* – …", "Tag – …" without a second dash.
const LABEL = new RegExp(
  [
    String.raw`(?:\*\*|__)?(?:(?:\p{Lu}\p{L}+ )?\d{1,3}|\p{L})[.)](?=\s)`,
    String.raw`(?:\*\*|__)[^*_]+(?:[.。](?:\*\*|__)|(?:\*\*|__)(?:\s*[.。]|(?=[ \t]*[\r\n\v])))`,
    String.raw`(?:\*\*|__)[^*_]*[A-Z]-?\d[^*_]*(?:\*\*|__)(?=\s)`,
    String.raw`(?:\[\S{1,12}\]|[A-Z]{1,6}-\d+)(?=\s)|【[^【】]{1,12}】`,
    String.raw`(?:([*_]{1,2}|\x60)[^*_\x60]+\1|\p{Lu}\p{L}*(?: \p{L}+)?)\s*[-–—](?=\s)(?!.*\s[-–—]\s)`,
  ].map((label) => `^${label}`).join('|'),
  'u',
)

/** Finds the end of the lead-in before the restated words: the last colon there, or the end of a bold label. */
const leadInEndOf = ({ from, masked }: Block, [head]: Outcome['sentences'], places: Array<Place>): number => {
  if (head === undefined) return from
  const label = from + (LABEL.exec(masked)?.[0].length ?? 0)
  if (!head.isGone) return head.to === label ? label : from
  // A rule in the form of SAT stays in it.
  const start = places.length === 1 && masked.startsWith('Rule:') ? from + 'Rule:'.length : from
  const restated = Math.max(start, Math.min(...places.map((place) => place.from)))
  const colon = [...masked.slice(0, restated - from + 1).matchAll(COLON)].at(-1)
  const ends = [label, from + (colon === undefined ? 0 : colon.index + colon[0].length)]
  return Math.max(from, ...ends.filter((end) => end <= restated))
}

/** Whether a node may belong to the words right before it. */
export const holdsMore = (next: Node | undefined): boolean => /List|Code|Table|quote/.test(next?.name ?? '')

// A note in brackets, a name in backticks, a tag, a picture or a link.
const ASIDE = /^(?:[![]x+\)|\(.*\)|\[.*\]|\{.*\}|`.*`|[#^][^\s#]+)$/su

/** What becomes of a block that no rule restates. */
const untouched = (block: Block, rules: Array<number>): Outcome => ({
  block,
  places: [],
  sentences: sentencesOf(block).map((sentence) => ({ ...sentence, isGone: false })),
  leadInEnd: block.from,
  stays: 'sentences',
  rules,
  reason: undefined,
  count: 1,
})

const outcomeOf = (block: Block, places: Array<Place>, rules: Array<number>): Outcome => {
  if (places.length === 0) return untouched(block, rules)
  const all = sentencesOf(block, places).map((sentence) => ({
    ...sentence,
    // Such an aside stays with the rule as a comment does.
    isComment: sentence.isComment
      || ASIDE.test(block.masked.slice(sentence.from - block.from, sentence.to - block.from)),
    isGone: !sentence.isComment && places.some(({ from, to }) => from < sentence.to && sentence.from < to),
  }))
  // A lead-in with nothing after it goes with its sentence.
  const isEmpty = rules.length === 0 && !holdsMore(block.next) && all.every(({ isGone }) => isGone)
  const leadInEnd = isEmpty ? block.from : leadInEndOf(block, all, places)
  const start = leadInEnd + gapAt(block, leadInEnd).length
  const at = all.findIndex((sentence) => block.masked.startsWith('Reason:', sentence.from - block.from))
  const isOwn = rules.length > 0 && all[at - 1]?.isGone === true
    && !all.slice(at).some(({ isGone }) => isGone)
  const reason = isOwn ? { from: all[at]!.from, to: block.to } : undefined
  const sentences = (isOwn ? all.slice(0, at) : all).filter(({ to }) => to > leadInEnd).map((sentence) => ({
    ...sentence,
    from: Math.max(sentence.from, start),
  }))
  const isWhole = sentences.every(({ isGone }) => isGone)
  const stays = !isWhole ? 'sentences' : leadInEnd > block.from ? 'lead-in' : 'nothing'
  // A comment alone makes no item: it stays with a rule.
  const isBare = isWhole
    || rules.length > 0 && sentences.every(({ isGone, isComment }) => isGone || isComment)
  const count = stays === 'lead-in' ? 1 : rules.length + (isBare ? 0 : 1)
  return { block, places, sentences, leadInEnd, stays, rules, reason, count }
}

/** Whether a block introduces what stands below it. */
export const introduces = ({ masked }: Block): boolean => /[:：]["'*_”’»)\]]*$/.test(masked)

const TITLE = /^(\*\*|__|)[^*_\r\n\p{Sentence_Terminal}]{1,25}\1$/u

/** Whether items stand below a block, or other lines of its paragraph. */
const isAboveItems = ({ next, node }: Block): boolean => next === node || /List$/.test(next?.name ?? '')

/** Whether a block is the title of what stands below it, such as `Never:` or `**Git**`. */
export const isTitle = (block: Block): boolean => {
  const { masked, next, node, sign } = block
  const isBare = isAboveItems(block) && TITLE.test(masked)
  return next !== undefined && introduces(block)
    || isBare && (next !== node || /^[*_]/.test(masked) && sign === '')
}

/** Whether what stays of a block introduces what stands below it: the rules stand before that. */
export const keepsIntroduction = ({ block, stays, sentences }: Outcome): boolean =>
  introduces(block) && stays === 'sentences' && !sentences.at(-1)!.isGone

/** Whether the lead-in of a paragraph, no footnote, labels restated words: the rules stand below it, then what stays. */
export const labelsRules = ({ block, leadInEnd, stays, sentences, rules }: Outcome): boolean =>
  rules.length > 0 && stays === 'sentences' && leadInEnd > block.from && sentences[0]!.isGone
  && block.sign === '' && block.node.parent?.name !== 'ListItem' && !/^\[\S+\]:/.test(block.masked)

/**
 * Leaves out the places in what introduces a list, by rules that restate items of it as well, unless no item stays: the
 * others would stand below words that were said of one.
 */
const withoutIntroductions = (blocks: Array<Block>, places: Array<Array<Place>>): Array<Array<Place>> => {
  const rulesIn = new Map<Block, Set<number>>()
  for (const { block, rule } of places.flat()) {
    rulesIn.set(block, (rulesIn.get(block) ?? new Set()).add(rule))
  }
  const kept = new Map<Block, Set<number>>()
  blocks.forEach((block, index) => {
    const rules = rulesIn.get(block)
    if (rules === undefined || !isTitle(block) || !isAboveItems(block)) return
    const items = []
    for (let at = index + 1; blocks[at] !== undefined && blocks[at]!.to <= block.next!.to; at++) {
      items.push({ item: blocks[at]!, some: [...rulesIn.get(blocks[at]!) ?? []] })
    }
    // Elsewhere, or in the place of the introduction.
    const isGone = items.every(({ item, some }) =>
      some.length > 0 && some.every((rule) => rules.has(rule) || places[rule]![0]!.block !== item)
    )
    if (!isGone) kept.set(block, new Set(items.flatMap(({ some }) => some)))
  })
  return places.map((some) => some.filter(({ block, rule }) => kept.get(block)?.has(rule) !== true))
}

const PICTURE = /(?:^|\s)([\p{So}\p{Extended_Pictographic}])\uFE0F?(?=\s+\S)/gu

/** Whether a rule restates words under several signs, such as ❌ and ✅: then none of them is its own. */
const hasManySigns = (text: string, places: Array<Place>): boolean => {
  const signs = places.flatMap(({ block, from, to }) => [
    block.sign.replace(/[\s\uFE0F]/g, ''),
    ...Array.from(text.slice(from, to).matchAll(PICTURE), ([, sign = '']) => sign),
  ])
  return new Set(signs.filter((sign) => /[\p{So}\p{Extended_Pictographic}]/u.test(sign))).size > 1
}

/** Gives a block whose sign is a part of its words. */
const withSignAsWords = ({ mask }: Markdown, block: Block): Block => {
  const [from, to] = [block.from - block.sign.length, block.to + block.closing.length]
  return { ...block, from, to, masked: mask.slice(from, to), sign: '', closing: '' }
}

/** The places in a block, and those of the rules that stand there. */
type Touched = { places: Array<Place>; standing: Array<Place> }

const UNTOUCHED: Touched = { places: [], standing: [] }

/**
 * Plans what becomes of each block: which of its sentences are removed, which rules are inserted.
 *
 * @param all the places of each rule: it stands at the first one, and its words are removed from all. A rule without
 * a place stands after the rule before it, a first one before the next
 */
export const planOutcomes = (markdown: Markdown, all: Array<Array<Place>>): Outcomes => {
  const { text, blocks } = markdown
  const places = withoutIntroductions(blocks, all)
  const ofBlock = new Map<Block, Touched>()
  const touchedOf = (block: Block): Touched =>
    ofBlock.get(block) ?? ofBlock.set(block, { places: [], standing: [] }).get(block)!
  let anchor = places.find((ofRule) => ofRule.length > 0)?.[0]
  places.forEach((ofRule, rule) => {
    for (const place of ofRule) touchedOf(place.block).places.push(place)
    anchor = ofRule[0] ?? anchor
    if (anchor !== undefined) touchedOf(anchor.block).standing.push({ ...anchor, rule })
  })
  const outcomes: Outcomes = new Map(blocks.map(({ node }) => [node.from, []]))
  for (const block of blocks) {
    const { places, standing } = ofBlock.get(block) ?? UNTOUCHED
    const rules = standing.toSorted((one, other) => one.from - other.from).map(({ rule }) => rule)
    const isOther = block.sign !== '' && rules.some((rule) => hasManySigns(text, all[rule]!))
    const planned = isOther ? withSignAsWords(markdown, block) : block
    outcomes.get(block.node.from)!.push(outcomeOf(planned, places, rules))
  }
  return outcomes
}
