/** Notes in the tools' answers: lines that no rule restates, rules that contradict each other, lists that are cut. */
import type { Remaining, Restated } from '../in-place/index.ts'
import { shorten } from '../json/issues.ts'
import { parsedTextOf } from '../meaning/words.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markHidden, markName } from '../text/hidden-characters.ts'
import { inBackticks } from '../text/quoted-name.ts'
import { areSaid, wordsOf } from './unsaid.ts'

const MAX_QUOTED = 100

/** Quotes text of a file as data: in backticks, on one line, cut, hidden characters marked. */
export const inCode = (text: string): string =>
  inBackticks(markHidden(shorten(text.replace(/\s+/g, ' ').trim(), MAX_QUOTED)))

const MOST_LISTED = 20

/** Joins the first of some items by commas, and counts the others. */
export const list = (items: Array<string>): string => {
  const more = items.length - MOST_LISTED
  return items.slice(0, MOST_LISTED).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

/** Makes a note of a title and a line for each of the first items, and counts the others; none without items. */
export const toNote = (title: string, items: Array<string>, max = 50): Array<string> => {
  const lines = items.slice(0, max).map((item) => `- ${markName(item)}`)
  const more = items.length > max ? [`- and ${items.length - max} more`] : []
  return items.length === 0 ? [] : [[title, ...lines, ...more].join('\n')]
}

/** Names lines of a file by their numbers or ranges: `line 3`, `lines 3, 5-7`. */
export const nameLines = (lines: Array<number | string>): string =>
  `${/^\d+$/.test(lines.join()) ? 'line' : 'lines'} ${list(lines.map(String))}`

// What is said of lines that stay, in place of `#`.
const WARNINGS = {
  overtaken:
    "What stays on # will stand before the rules made of the words before it. If it explains one, put it into that rule's source and reason.",
  alone: 'What stays on # introduces only what goes, and would stand alone. Make it a source, too.',
  renumbered: 'Items of a list get other numbers, and one may be named on #. Restate it with the new number.',
}

/** Notes which lines of a file no rule restates, those that order something first; empty where all are restated. */
export const remainingNote = ({ ordering, others, ...lines }: Remaining): Array<string> => {
  const ranges = others.map(([first, last]) => first === last ? first : `${first}-${last}`)
  const stays = [
    ...(ordering.length === 0 ? [] : [`${nameLines(ordering)} (an order: was it left out?)`]),
    ...(ranges.length === 0 ? [] : [nameLines(ranges)]),
  ]
  const kinds = (['overtaken', 'alone', 'renumbered'] as const).filter((kind) => lines[kind].length > 0)
  return [
    ...(stays.length === 0 ? [] : [`In no rule, so they stay as they are: ${stays.join('; ')}.`]),
    ...kinds.map((kind) => WARNINGS[kind].replace('#', nameLines(lines[kind]))),
  ]
}

// A word alone says little: "Please", "therefore".
const MIN_WORDS = 2
const MIN_LETTERS = 8

/** Notes which parts of restated sentences no source has and none of their rules says. */
export const unsourcedNote = (parts: Array<Restated>, rules: Array<ParsedRule>): Array<string> => {
  const saidBy = (rule: ParsedRule): Array<string> => wordsOf(`${parsedTextOf(rule)} ${rule.reason ?? ''}`)
  const lost = parts.filter((part) => {
    const words = wordsOf(part.text)
    return words.length >= MIN_WORDS && words.join('').length >= MIN_LETTERS
      && !areSaid(words, new Set(part.rules.flatMap((rule) => saidBy(rules[rule]!))))
  })
  const quoted = lost.map((part) => `${inCode(part.text)} (rule ${part.rules[0]! + 1})`)
  return quoted.length === 0
    ? []
    : [`Goes with its sentence, though no source has it: ${list(quoted)}. Put it into a rule or its reason.`]
}

const CONTRARY: Record<string, string> = { obligatory: 'forbidden', forbidden: 'obligatory' }

/** Notes which rules have the words of an earlier one, capitals apart, and its strength or the contrary one. */
export const pairsNote = (rules: Array<ParsedRule>): Array<string> => {
  const keyOf = (strength: string, rule: ParsedRule): string =>
    `${strength} ${parsedTextOf(rule)}`.toLowerCase().replace(/\s+/g, ' ')
  const firsts = new Map(rules.map((rule, index) => [keyOf(rule.strength, rule), index] as const).reverse())
  const nameRule = (rule: ParsedRule, index: number): string =>
    `rule ${index + 1}, ${inCode(`${rule.strength} ${parsedTextOf(rule)}`)}`
  const pairs = (strengthOf: (strength: string) => string = (strength) => strength): Array<string> =>
    rules.flatMap((rule, index) => {
      const first = firsts.get(keyOf(strengthOf(rule.strength), rule)) ?? index
      return first < index ? [`${nameRule(rules[first]!, first)}, and ${nameRule(rule, index)}`] : []
    })
  const contradictions = pairs((strength) => CONTRARY[strength] ?? '')
  return [
    ...toNote('Contradictory; ask the person which one holds:', contradictions, MOST_LISTED),
    ...toNote('There twice; parse each rule once:', pairs(), MOST_LISTED),
  ]
}
