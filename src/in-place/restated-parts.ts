/** What becomes of each block: a row of parts, of which each stays or is restated. */
import type { Block, Markdown } from './blocks.ts'
import type { Place } from './find-sources.ts'
import { beginningOf, labelWithin, ownLinesIn } from './labels.ts'
import type { Span } from './lines.ts'
import { gapAt, type Sentence, sentencesOf } from './sentences.ts'

/**
 * What a block consists of, and the indexes of the rules that come in its place. A comment is a sentence.
 * `sign`: that of its line, where lines stand for themselves.
 */
export type Part = Span & {
  kind: 'lead-in' | 'label' | 'sign' | 'sentence'
  isGone: boolean
  rules: Array<number>
  sign: string
}

/** A block with the places in it, and its parts in their order; whether lines in it, or numbers, stand for themselves. */
export type Row = { block: Block; places: Array<Place>; parts: Array<Part>; hasOwnLines: boolean }

/** Gives a row of which all stays; its parts are read when they are asked for, since most blocks are such. */
const untouched = (block: Block): Row => ({
  block,
  places: [],
  hasOwnLines: false,
  get parts() {
    return sentencesOf(block).map((one): Part => ({ ...one, isGone: false, rules: [], sign: '' }))
  },
})

const isRemoved = ({ isGone, rules }: Part): boolean => isGone && rules.length === 0

/** Whether all sentences that a sign or a label stands before go without a rule. */
const isBare = (parts: Array<Part>, at: number): boolean => {
  let first = at + 1
  while (first < parts.length && parts[first]!.kind !== 'sentence') first++
  let end = first
  while (parts[end]?.kind === 'sentence' && isRemoved(parts[end]!)) end++
  return end > first && parts[end]?.kind !== 'sentence'
}

/** Parts a sentence in the label or the lead-in that stays, and its words. */
const partsOf = (
  block: Block,
  sentence: Sentence,
  places: Array<Place>,
  begins: 'lead-in' | 'label' | undefined,
  sign: string,
): Array<Part> => {
  const { from, to, isFixed } = sentence
  const restating = places.filter((place) => place.from < to && from < place.to)
  const restated = Math.min(...restating.map((place) => place.from)) - from
  const isGone = !isFixed && restating.length > 0
  const words = block.masked.slice(from - block.from, to - block.from)
  const within = labelWithin(words)
  const [kind, length] = begins !== undefined
    ? beginningOf(words, restated)
    : ['label' as const, isGone && within <= restated ? within : 0]
  const start = from + length
  const lead: Part = {
    from,
    to: start,
    kind: begins === 'label' ? 'label' : kind,
    isGone: false,
    rules: [],
    sign,
  }
  const rest: Part = {
    from: start + gapAt(block, start).length,
    to,
    kind: 'sentence',
    isGone,
    rules: [],
    sign,
  }
  return length === 0 ? [rest] : start < to ? [lead, rest] : [lead]
}

/** Gives a sign that is kept by all rules of its line: a picture alone may stand in an item. */
const signOf = (block: Block, { from, to }: Span, hasLines: boolean): string => {
  const sign = block.masked.slice(from - block.from, to - block.from)
  return hasLines || /[\p{N}\p{P}]/u.test(sign) ? sign : ''
}

/** @param hasSign whether signs are none of the rules' own words */
const rowOf = (
  block: Block,
  places: Array<Place>,
  rules: Array<[rule: number, at: number]>,
  hasSign: boolean,
): Row => {
  const lines = ownLinesIn(block.masked)
  const sentences = sentencesOf(block, places)
  const first = sentences.findIndex(({ kind }) => kind === 'sentence')
  const hasLines = lines.size > 1
  let [isOwn, sign] = [false, '']
  const parts = sentences.flatMap((one, index): Array<Part> => {
    const isFirst = lines.has(one.from - block.from)
    if (isFirst) sign = one.kind === 'sign' ? signOf(block, one, hasLines) : ''
    isOwn = isFirst || isOwn && sentences[index - 1]!.kind === 'sign'
    if (one.kind === 'sign') return [{ ...one, isGone: !hasSign, rules: [], sign }]
    const begins = isOwn && hasLines ? 'label' : index === first ? 'lead-in' : undefined
    return partsOf(block, one, places, begins, hasSign ? sign : '')
  })
  const restated = parts.filter(({ kind, isGone }) => kind === 'sentence' && isGone)
  // A sign or a line break goes where a rule restates nothing else.
  const isIn = (part: Part) => places.some((place) => place.from < part.to && part.from < place.to)
  const gone = restated.length > 0 ? restated : parts.filter(isIn)
  for (const part of gone) part.isGone = true
  for (const [rule, at] of rules) (gone.find(({ to }) => to > at) ?? gone.at(-1))?.rules.push(rule)
  parts.forEach((part, at) => {
    if (part.kind === 'label' || part.kind === 'sign') part.isGone ||= isBare(parts, at)
  })
  const hasOwnLines = hasLines || parts.slice(1).some(({ kind }) => kind === 'sign')
  return { block, places, parts, hasOwnLines }
}

/** Whether nothing stays of a block: a lead-in with nothing after it goes with its words. */
export const isEmptied = ({ block: { next }, parts }: Row): boolean => {
  const holdsMore = /List|Code|Table|Blockquote/.test(next?.name ?? '')
  return parts.every((part) => isRemoved(part) || part.kind === 'lead-in' && !holdsMore)
}

/** Whether a block introduces what stands below it. */
export const introduces = ({ masked, next }: Block): boolean =>
  next !== undefined && /[:：]["'*_”’»)\]]*$/.test(masked)

const TITLE = /^(\*\*|__|)[^*_\r\n\p{Sentence_Terminal}]{1,25}\1$/u

/** Whether a block is a title of list items, or introduces them. */
const isTitle = (block: Block): boolean =>
  /List$/.test(block.next?.name ?? '') && (introduces(block) || TITLE.test(block.masked))

/**
 * Leaves out the places in what introduces a list, by rules that restate items of it as well: the other items would stand
 * below words that were said of one. Where no item stays it goes too, as a second source does.
 */
const withoutTitles = (blocks: Array<Block>, places: Array<Array<Place>>): Array<Array<Place>> => {
  const restated = new Set(places.flat().map(({ block }) => block))
  const titles = new Map(
    blocks.flatMap((block, index) => {
      if (!restated.has(block) || !isTitle(block)) return []
      let end = index + 1
      while (end < blocks.length && blocks[end]!.to <= block.next!.to) end++
      const items = blocks.slice(index + 1, end)
      return [[block, { items: new Set(items), isGone: items.every((item) => restated.has(item)) }]]
    }),
  )
  return places.map((some) => {
    const isTitleOf = ({ block }: Place) => some.some((other) => titles.get(block)?.items.has(other.block))
    const isKept = (place: Place) => titles.get(place.block)?.isGone === false
    const [ofTitles, others] = [some.filter(isTitleOf), some.filter((place) => !isTitleOf(place))]
    return [...others, ...ofTitles.filter((place) => !isKept(place))]
  })
}

const PICTURE = /[\p{So}\p{Extended_Pictographic}](?=\uFE0F?\s)/gu

/** Whether a rule restates words under several pictures, such as ❌ and ✅: then none of them is its own. */
const hasManySigns = (places: Array<Place>): boolean =>
  new Set(places.flatMap(({ source }) => source.match(PICTURE) ?? [])).size > 1

// Of two sources of the same words, one may begin with the bracket or the mark before them.
const firstWordAt = (text: string, from: number): number => from + text.slice(from).search(/[\p{L}\p{N}]|$/u)

/**
 * Plans what becomes of each block.
 *
 * @param all the places of each rule: it stands at the first one, and its words are removed from all. A rule without a
 * place stands after the rule before it, a first one before the next
 */
export const rowsOf = (markdown: Markdown, all: Array<Array<Place>>): Array<Row> => {
  const places = withoutTitles(markdown.blocks, all)
  const inBlock = new Map<Block, { places: Array<Place>; rules: Array<[number, number]> }>()
  const of = (block: Block) => inBlock.get(block) ?? inBlock.set(block, { places: [], rules: [] }).get(block)!
  let anchor = places.find(({ length }) => length > 0)?.[0]
  places.forEach((ofRule, rule) => {
    for (const place of ofRule) of(place.block).places.push(place)
    anchor = ofRule[0] ?? anchor
    if (anchor !== undefined) of(anchor.block).rules.push([rule, firstWordAt(markdown.text, anchor.from)])
  })
  return markdown.blocks.map((block) => {
    const { places, rules } = inBlock.get(block) ?? {}
    if (places === undefined || rules === undefined) return untouched(block)
    const ordered = rules.toSorted(([, one], [, other]) => one - other)
    return rowOf(block, places, ordered, !rules.some(([rule]) => hasManySigns(all[rule]!)))
  })
}
