/** Notes in the tools' answers: rules that contradict each other, names, lists that are cut. */
import { parsedTextOf } from '../meaning/compare-meaning.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markName } from '../text/hidden-characters.ts'
import { excerpt, firstLines, firstRows, inBackticks } from '../text/quoted-name.ts'

/** Quotes text of a file as data, in backticks. */
export const inCode = (text: string): string => inBackticks(excerpt(text.replace(/\s+/g, ' ').trim()))

/** Joins the first of some items by commas, and counts the others. */
export const list = (items: Array<string>): string => {
  const { rows, more } = firstRows(items)
  return rows.join(', ') + (more > 0 ? `, and ${more} more` : '')
}

/** Makes a note of a title and a line for each of the first items, and counts the others; none without items. */
export const toNote = (title: string, items: Array<string>, max?: number): Array<string> =>
  items.length === 0
    ? []
    : [[title, ...firstLines(items, max).map((item) => `- ${markName(item)}`)].join('\n')]

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
    ...toNote('Contradictory; ask the person which one holds:', contradictions),
    ...toNote('There twice; parse each rule once:', pairs()),
  ]
}
