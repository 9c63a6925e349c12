import { linesOf } from '../text/line-ending.ts'
import { isGone } from './block-text.ts'
import type { Markdown } from './blocks.ts'
import { lineNumbers, type Span } from './lines.ts'
import {
  holdsMore,
  introduces,
  isTitle,
  keepsIntroduction,
  labelsRules,
  type Outcome,
  type Outcomes,
} from './plan.ts'
import { renumberedLines } from './renumbered.ts'
import type { Node } from './tree.ts'

/** Sentences of a text, and the indexes of the rules that restate them. */
export type Restated = { text: string; rules: Array<number> }

/** Lists the restated sentences; those that rules share are one. */
export const restatedParts = ({ text }: Markdown, outcomes: Outcomes): Array<Restated> => {
  const parts: Array<Span & { rules: Set<number> }> = []
  for (const { sentences, places } of [...outcomes.values()].flat()) {
    for (const { from, to } of sentences.filter(({ isGone }) => isGone)) {
      const restating = places.filter((place) => place.from < to && from < place.to)
      const last = parts.at(-1)
      const isShared = last !== undefined && restating.some((place) => place.from < last.to)
      const part = isShared ? last : { from, to, rules: new Set<number>() }
      if (!isShared) parts.push(part)
      part.to = to
      for (const { rule } of restating) part.rules.add(rule)
    }
  }
  return parts.map(({ from, to, rules }) => ({ text: text.slice(from, to), rules: [...rules] }))
}

/** Lists the parts of restated sentences that no source has, and the rules that restate each sentence. */
export const unsourcedParts = ({ text }: Markdown, outcomes: Outcomes): Array<Restated> =>
  [...outcomes.values()].flat().flatMap(({ sentences, places }) =>
    sentences.filter(({ isGone }) => isGone).flatMap(({ from, to }) => {
      const own = places.filter((place) => place.from < to && from < place.to)
        .toSorted((one, other) => one.from - other.from)
      const rules = [...new Set(own.map(({ rule }) => rule))]
      let at = from
      return [...own, { from: to, to }].flatMap((place) => {
        const part = text.slice(at, Math.max(at, place.from))
        at = Math.max(at, place.to)
        return part === '' ? [] : [{ text: part, rules }]
      })
    })
  )

/** Lines of a text that no rule restates, from 1. */
export type Remaining = {
  /** Those that order something. */
  ordering: Array<number>
  /** The ranges of all others. */
  others: Array<[first: number, last: number]>
  /** Those with words that followed restated ones in their block, and will precede the rules. */
  overtaken: Array<number>
  /** Those of an introduction of which all goes that it introduces. */
  alone: Array<number>
  /** Those that may refer to an item of a list by a number that it does not keep. */
  renumbered: Array<number>
}

/** Finds the words of a block that introduce only what goes. */
const aloneIn = (
  outcomes: Outcomes,
  { block, leadInEnd, stays, rules, sentences }: Outcome,
): Span | undefined => {
  const { next } = block
  const outcomesOf = (node: Node | undefined) => outcomes.get(node?.from ?? -1) ?? []
  const isNextGone = () => next !== undefined && isGone({ outcomesOf }, next)
  if (stays === 'lead-in' && rules.length === 0) {
    return holdsMore(next) && !isNextGone() ? undefined : { from: block.from, to: leadInEnd }
  }
  const last = sentences.at(-1)
  return last?.isGone === false && introduces(block) && isNextGone() ? last : undefined
}

/** Whether an outcome is that of the title of the restated block after it; plain words may be a rule as well. */
const isTitleOf = ({ block, sentences, places }: Outcome, next: Outcome | undefined): boolean =>
  next !== undefined && next.places.length > 0 && sentences.length === 1 && places.length === 0
  && isTitle(block) && next.block.from < block.next!.to
  && (introduces(block) || !/^[^*_]*\s/.test(block.masked))

/** Joins lines into ranges; a line without words parts none. */
const rangesOf = (isHeld: (line: number) => boolean, hasWords: Array<boolean>): Remaining['others'] => {
  const ranges: Remaining['others'] = []
  let open: [number, number] | undefined
  hasWords.forEach((has, index) => {
    const line = index + 1
    if (!has) return
    if (!isHeld(line)) open = undefined
    else if (open === undefined) ranges.push(open = [line, line])
    else open[1] = line
  })
  return ranges
}

/**
 * Lists the lines of a text that no rule restates.
 *
 * @param orders whether a sentence orders something
 */
export const remainingLines = (
  markdown: Markdown,
  outcomes: Outcomes,
  orders: (sentence: string) => boolean,
): Remaining => {
  const { text, barred } = markdown
  const numbers = lineNumbers(text)
  const linesIn = (spans: Array<Span>): Set<number> => {
    const lines = new Set<number>()
    for (const { from, to } of spans) {
      for (let line = numbers[from]!; line <= numbers[to - 1]!; line++) lines.add(line)
    }
    return lines
  }
  const all = [...outcomes.values()].flat()
  const kept = all.flatMap(({ sentences }) => sentences.filter(({ isGone }) => !isGone))
  const titles = new Set(
    all.filter((outcome, index) => isTitleOf(outcome, all[index + 1])).flatMap(({ sentences }) => sentences),
  )
  const ordering = linesIn(
    kept.filter((sentence) => !titles.has(sentence) && orders(text.slice(sentence.from, sentence.to))),
  )
  const others = linesIn([...barred, ...kept])
  const before = all.filter((outcome) =>
    outcome.rules.length > 0 && !keepsIntroduction(outcome) && !labelsRules(outcome)
  )
  const overtaken = before.flatMap(({ sentences }) =>
    sentences.slice(sentences.findIndex(({ isGone }) => isGone))
      .filter(({ isGone, isComment }) => !isGone && !isComment)
  )
  const hasWords = linesOf(text).map((line) => /[\p{L}\p{N}]/u.test(line))
  return {
    ordering: [...ordering],
    others: rangesOf((line) => others.has(line) && !ordering.has(line), hasWords),
    overtaken: [...new Set(overtaken.map(({ from }) => numbers[from]!))],
    renumbered: renumberedLines(markdown, outcomes),
    alone: [...linesIn(all.flatMap((outcome) => aloneIn(outcomes, outcome) ?? []))],
  }
}
