/** Formats the notes in the answers of the tools. */
import { parsedTextOf } from '../meaning/compare-meaning.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markName } from '../text/hidden-characters.ts'
import { excerpt, firstLines, inBackticks } from '../text/quoted-name.ts'

/** Quotes the beginning of a text as code, on one line. */
export const inCode = (text: string): string => inBackticks(excerpt(text.replace(/\s+/g, ' ').trim()))

export const joinFirst = (items: Array<string>): string => firstLines(items).join(', ')

/** Returns one note, or `[]` if there are no items. */
export const toNote = (title: string, items: Array<string>, max?: number): Array<string> =>
  items.length === 0
    ? []
    : [[title, ...firstLines(items, max).map((item) => `- ${markName(item)}`)].join('\n')]

const OPPOSITE: Record<string, string> = { obligatory: 'forbidden', forbidden: 'obligatory' }

/** Creates the notes on rules that repeat or contradict an earlier rule. */
export const pairNotes = (rules: Array<ParsedRule>): Array<string> => {
  const earlierNames = new Map<string, string>()
  const repeated: Array<string> = []
  const contradictory: Array<string> = []
  rules.forEach((rule, index) => {
    const words = parsedTextOf(rule)
    const keyOf = (strength = ''): string => `${strength} ${words}`.toLowerCase().replace(/\s+/g, ' ')
    const name = `rule ${index + 1}, ${inCode(`${rule.strength} ${words}`)}`
    const sameName = earlierNames.get(keyOf(rule.strength))
    if (sameName === undefined) earlierNames.set(keyOf(rule.strength), name)
    else repeated.push(`${sameName}, and ${name}`)
    const oppositeName = earlierNames.get(keyOf(OPPOSITE[rule.strength]))
    if (oppositeName !== undefined) contradictory.push(`${oppositeName}, and ${name}`)
  })
  return [
    ...toNote('Contradictory; ask the person which one holds:', contradictory),
    ...toNote('Repeated; parse each rule once:', repeated),
  ]
}
