/** What becomes of each block: a row of parts, of which each stays or is restated. */
import { lineNumbers } from '../text/line-ending.ts'
import type { Block, Markdown } from './blocks.ts'
import type { Place, SourceFault } from './find-sources.ts'
import { beginningOf, boldLabelOf } from './labels.ts'
import type { Span } from './lines.ts'
import { gapAt, sentencesOf } from './sentences.ts'

/** A lead-in, a label, a sentence or a comment of a block, and the indexes of the rules that come in its place. */
export type Part = Span & { kind: 'lead-in' | 'label' | 'sentence'; isGone: boolean; rules: Array<number> }

/** A block with the places in it, and its parts in their order. */
export type Row = { block: Block; places: Array<Place>; parts: Array<Part> }

/** Gives a row of which all stays; its parts are read when they are asked for, since most blocks are such. */
const untouched = (block: Block): Row => ({
  block,
  places: [],
  get parts() {
    return sentencesOf(block).map((one): Part => ({ ...one, kind: 'sentence', isGone: false, rules: [] }))
  },
})

const rowOf = (block: Block, places: Array<Place>, rules: Array<[rule: number, at: number]>): Row => {
  const { from } = block
  const sentences = sentencesOf(block, places)
  const isRestated = (one: Span) => places.some((place) => place.from < one.to && one.from < place.to)
  const restated = Math.min(...places.map((place) => place.from)) - from
  const [kind, length] = beginningOf(block, (sentences[0]?.to ?? from) - from, restated)
  const start = from + length + gapAt(block, from + length).length
  const parts = sentences.filter(({ to }) => to > from + length).flatMap((one, index): Array<Part> => {
    const whole = { from: Math.max(one.from, start), to: one.to }
    const label = index > 0
      ? boldLabelOf(block.masked.slice(whole.from - from, whole.to - from))
      : ''
    const end = whole.from + label.length
    // A label in bold within a line stays as a lead-in does.
    if (label === '' || !isRestated(whole) || isRestated({ from: whole.from, to: end })) {
      return [{ ...whole, kind: 'sentence', isGone: !one.isFixed && isRestated(whole), rules: [] }]
    }
    const words = { from: end + gapAt(block, end).length, to: one.to }
    return [
      { from: whole.from, to: end, kind: 'label', isGone: false, rules: [] },
      { ...words, kind: 'sentence', isGone: true, rules: [] },
    ]
  })
  const gone = parts.filter(({ isGone }) => isGone)
  for (const [rule, at] of rules) (gone.find(({ to }) => to > at) ?? gone.at(-1))?.rules.push(rule)
  return {
    block,
    places,
    parts: length === 0 ? parts : [{ from, to: from + length, kind, isGone: false, rules: [] }, ...parts],
  }
}

/** Whether nothing stays of a block: a lead-in or a label with nothing after it goes with its words. */
export const isEmptied = ({ block: { next }, parts }: Row): boolean => {
  const holdsMore = /List|Code|Table|Blockquote/.test(next?.name ?? '')
  return parts.every(({ kind, isGone, rules }) =>
    rules.length === 0 && (isGone || kind === 'label' || kind === 'lead-in' && !holdsMore)
  )
}

/** Whether a block introduces what stands below it. */
export const introduces = ({ masked, next }: Block): boolean =>
  next !== undefined && /[:：]["'*_”’»)\]]*$/.test(masked)

const TITLE = /^(\*\*|__|)[^*_\r\n\p{Sentence_Terminal}]{1,25}\1$/u

/** Whether a block is a title of items, or introduces them: list items, or further lines of its paragraph. */
const isTitle = (block: Block): boolean => {
  const { masked, next, node, sign } = block
  const isBare = TITLE.test(masked) && (next !== node || /^[*_]/.test(masked) && sign === '')
  return (next === node || /List$/.test(next?.name ?? '')) && (introduces(block) || isBare)
}

/**
 * Leaves out the places in what introduces a list, by rules that restate items of it as well: the other items would stand
 * below words that were said of one. Where no item stays it goes too, as a second source does.
 */
const withoutTitles = (blocks: Array<Block>, places: Array<Array<Place>>): Array<Array<Place>> => {
  const rulesIn = new Map<Block, Set<number>>()
  for (const { block, rule } of places.flat()) {
    rulesIn.set(block, (rulesIn.get(block) ?? new Set()).add(rule))
  }
  const kept = new Map<Block, { below: Set<number>; isGone: boolean }>()
  blocks.forEach((block, index) => {
    const rules = rulesIn.get(block)
    if (rules === undefined || !isTitle(block)) return
    const items: Array<{ item: Block; some: Array<number> }> = []
    for (let at = index + 1; blocks[at] !== undefined && blocks[at]!.to <= block.next!.to; at++) {
      items.push({ item: blocks[at]!, some: [...rulesIn.get(blocks[at]!) ?? []] })
    }
    // Elsewhere, or in the place of the title.
    const isGone = items.every(({ item, some }) =>
      some.length > 0 && some.every((rule) => rules.has(rule) || places[rule]![0]!.block !== item)
    )
    kept.set(block, { below: new Set(items.flatMap(({ some }) => some)), isGone })
  })
  return places.map((some) => {
    const isOfTitle = ({ block, rule }: Place) => kept.get(block)?.below.has(rule) === true
    const titles = some.filter((place) => isOfTitle(place) && kept.get(place.block)!.isGone)
    return [...some.filter((place) => !isOfTitle(place)), ...titles]
  })
}

const PICTURE = /(?:^|\s)([\p{So}\p{Extended_Pictographic}])\uFE0F?(?=\s+\S)/gu

/** Whether a rule restates words under several pictures, such as ❌ and ✅: then none of them is its own. */
const hasManySigns = (text: string, places: Array<Place>): boolean => {
  const signs = places.flatMap(({ block: { sign }, from, to }) =>
    Array.from(`${sign}x ${text.slice(from, to)}`.matchAll(PICTURE), ([, picture]) => picture)
  )
  return new Set(signs).size > 1
}

/** Gives a block whose sign is a part of its words. */
const withSignAsWords = ({ mask }: Markdown, block: Block): Block => {
  const [from, to] = [block.from - block.sign.length, block.to + block.closing.length]
  return { ...block, from, to, masked: mask.slice(from, to), sign: '', closing: '' }
}

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
    if (anchor !== undefined) of(anchor.block).rules.push([rule, anchor.from])
  })
  return markdown.blocks.map((block) => {
    const { places, rules } = inBlock.get(block) ?? {}
    if (places === undefined || rules === undefined) return untouched(block)
    const isOther = block.sign !== '' && rules.some(([rule]) => hasManySigns(markdown.text, all[rule]!))
    const ordered = rules.toSorted(([, one], [, other]) => one - other)
    return rowOf(isOther ? withSignAsWords(markdown, block) : block, places, ordered)
  })
}

/** Lists the sources of the rules for which nothing makes room, since all that they restate stays. */
export const withoutPlaceIn = ({ text }: Markdown, rows: Array<Row>): Array<SourceFault> => {
  const restated = rows.filter(({ places }) => places.length > 0)
  const placed = new Set(restated.flatMap(({ parts }) => parts.flatMap(({ rules }) => rules)))
  const lost = restated.flatMap(({ places }) => places).filter(({ rule }) => !placed.has(rule))
  const lines = lost.length > 0 ? lineNumbers(text) : []
  return lost.map(({ rule, source, from }) => ({
    rule,
    source,
    kind: 'barred',
    where: 'a label, a number or a line break',
    line: lines[from]!,
  }))
}
