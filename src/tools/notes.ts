/** Notes in the tools' answers: rules that contradict each other, names, lists that are cut. */
import { shorten } from '../json/issues.ts'
import { parsedTextOf } from '../meaning/compare-meaning.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markHidden, markName } from '../text/hidden-characters.ts'
import { inBackticks } from '../text/quoted-name.ts'

const MAX_QUOTED = 100

/** Gives text of a file as data: on one line, cut, hidden characters marked. */
const oneLine = (text: string): string => markHidden(shorten(text.replace(/\s+/g, ' ').trim(), MAX_QUOTED))

/** Quotes text of a file as data, in backticks. */
export const inCode = (text: string): string => inBackticks(oneLine(text))

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

/** Names lines of a file by their numbers or ranges: `line 3`, `lines 3, 5-7`; empty where there are none. */
export const nameLines = (lines: Array<number | string>): string => {
  const noun = /^\d+$/.test(lines.join()) ? 'line' : 'lines'
  return lines.length === 0 ? '' : `${noun} ${list(lines.map(String))}`
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
