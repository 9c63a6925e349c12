/** Formats the notes in the answers of the tools. */
import { parsedTextOf } from '../meaning/compare-meaning.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markName } from '../text/hidden-characters.ts'
import { excerpt, firstLines, firstRows, inBackticks } from '../text/quoted-name.ts'

/** Quotes an excerpt of a text as code, on one line. */
export const inCode = (text: string): string => inBackticks(excerpt(text.replace(/\s+/g, ' ').trim()))

/** Joins the first items with commas, and appends the number of the others. */
export const joinFirst = (items: Array<string>): string => {
  const { rows, more } = firstRows(items)
  return rows.join(', ') + (more > 0 ? `, and ${more} more` : '')
}

/** Creates a note: a title, a line for each of the first items, and the number of the others; `[]` without items. */
export const toNote = (title: string, items: Array<string>, max?: number): Array<string> =>
  items.length === 0
    ? []
    : [[title, ...firstLines(items, max).map((item) => `- ${markName(item)}`)].join('\n')]

const OPPOSITE: Record<string, string> = { obligatory: 'forbidden', forbidden: 'obligatory' }

/** Creates the notes on rules that repeat the words of an earlier rule, with the same strength or the opposite one. */
export const pairsNote = (rules: Array<ParsedRule>): Array<string> => {
  const keyOf = (strength: string, rule: ParsedRule): string =>
    `${strength} ${parsedTextOf(rule)}`.toLowerCase().replace(/\s+/g, ' ')
  // The list is reversed, so that of rules with the same key the first one stays in the map.
  const firsts = new Map(rules.map((rule, index) => [keyOf(rule.strength, rule), index] as const).reverse())
  const nameRule = (rule: ParsedRule, index: number): string =>
    `rule ${index + 1}, ${inCode(`${rule.strength} ${parsedTextOf(rule)}`)}`
  const formatPairs = (strengthOf: (strength: string) => string = (strength) => strength): Array<string> =>
    rules.flatMap((rule, index) => {
      const first = firsts.get(keyOf(strengthOf(rule.strength), rule)) ?? index
      return first < index ? [`${nameRule(rules[first]!, first)}, and ${nameRule(rule, index)}`] : []
    })
  const contradictions = formatPairs((strength) => OPPOSITE[strength] ?? '')
  return [
    ...toNote('Contradictory; ask the person which one holds:', contradictions),
    ...toNote('Repeated; parse each rule once:', formatPairs()),
  ]
}
