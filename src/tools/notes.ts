/** Notes in the tools' answers: lines that no rule restates, rules that contradict each other, lists that are cut. */
import type { Remaining, Restated } from '../in-place/index.ts'
import { shareOf } from '../meaning/words.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markHidden, markName } from '../text/hidden-characters.ts'
import { inBackticks } from '../text/quoted-name.ts'
import { SAID, wordsOf } from './unsaid.ts'

const MAX_QUOTED = 100

/** Quotes text of a file as data: in backticks, on one line, cut, hidden characters marked. */
export const inCode = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return inBackticks(markHidden(line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line))
}

/** Joins the first of some items by commas, and counts the others. */
export const list = (items: Array<string>, max = 20): string => {
  const more = items.length - max
  return items.slice(0, max).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

/** Makes a note of a title and a line for each of the first items, and counts the others; none without items. */
export const toNote = (title: string, items: Array<string>, max = 50): Array<string> => {
  const lines = items.slice(0, max).map((item) => `- ${markName(item)}`)
  const more = items.length > max ? [`- and ${items.length - max} more`] : []
  return items.length === 0 ? [] : [[title, ...lines, ...more].join('\n')]
}

const toRange = ([first, last]: [number, number]): string => first === last ? `${first}` : `${first}-${last}`

/** Notes which lines of a file no rule restates, those that order something first; empty where all are restated. */
export const remainingNote = (
  { ordering, others, overtaken, alone, renumbered }: Remaining,
): Array<string> => {
  const linesOf = (ranges: Array<string>) =>
    `${/^\d+$/.test(ranges.join()) ? 'line' : 'lines'} ${list(ranges)}`
  const stays = [
    ...(ordering.length === 0 ? [] : [`${linesOf(ordering.map(String))} (an order: was it left out?)`]),
    ...(others.length === 0 ? [] : [linesOf(others.map(toRange))]),
  ]
  const about = (lines: Array<number>, words: (lines: string) => string): Array<string> =>
    lines.length === 0 ? [] : [words(list(lines.map((line) => `line ${line}`)))]
  return [
    ...(stays.length === 0 ? [] : [`In no rule, so they stay as they are: ${stays.join('; ')}.`]),
    ...about(
      overtaken,
      (lines) =>
        `What stays on ${lines} will stand before the rules made of the words before it. If it explains one, put it into that rule's source and reason.`,
    ),
    ...about(
      alone,
      (lines) =>
        `What stays on ${lines} introduces only what goes, and would stand alone. Make it a source, too.`,
    ),
    ...about(
      renumbered,
      (lines) =>
        `Items of a list get other numbers. If ${lines} refers to one of them, restate it with the new number.`,
    ),
  ]
}

// A word alone says little: "Please", "therefore".
const MIN_WORDS = 2
const MIN_LETTERS = 8

/** Notes which parts of restated sentences no source has and none of their rules says. */
export const unsourcedNote = (parts: Array<Restated>, rules: Array<ParsedRule>): Array<string> => {
  const saidBy = (rule: number): Array<string> => {
    const { action, target, context, reason } = rules[rule]!
    return wordsOf([action, target, context, reason].join(' '))
  }
  const lost = parts.filter((part) => {
    const words = wordsOf(part.text)
    return words.length >= MIN_WORDS && words.join('').length >= MIN_LETTERS
      && shareOf(words, part.rules.flatMap(saidBy)) < SAID
  })
  const quoted = lost.map((part) => `${inCode(part.text)} (rule ${part.rules[0]! + 1})`)
  return quoted.length === 0
    ? []
    : [`Goes with its sentence, though no source has it: ${list(quoted)}. Put it into a rule or its reason.`]
}

const toWords = ({ strength, action, target, context = '' }: ParsedRule): string =>
  inCode([strength, action, target, context].filter((word) => word.trim() !== '').join(' '))

const CONTRARY: Record<string, string> = { obligatory: 'forbidden', forbidden: 'obligatory' }

/** Notes which rules have the words of an earlier one, capitals apart, and its strength or the contrary one. */
export const pairsNote = (rules: Array<ParsedRule>): Array<string> => {
  const firsts = new Map<string, number>()
  const contradictions: Array<string> = []
  const repetitions: Array<string> = []
  for (const [index, rule] of rules.entries()) {
    const { strength, action, target, context = '' } = rule
    const words = [action, target, context].map((part) => part.trim().toLowerCase()).join('\n')
    const [same, contrary] = [strength, CONTRARY[strength]].map((one) => firsts.get(`${one}\n${words}`))
    const pairWith = (first: number): string =>
      `rule ${first + 1}, ${toWords(rules[first]!)}, and rule ${index + 1}, ${toWords(rule)}`
    if (same === undefined) firsts.set(`${strength}\n${words}`, index)
    else repetitions.push(pairWith(same))
    if (contrary !== undefined) contradictions.push(pairWith(contrary))
  }
  return [
    ...toNote('Contradictory; which one holds is for the person to say, so ask:', contradictions, 20),
    ...toNote('There twice; parse each rule once:', repetitions, 20),
  ]
}
