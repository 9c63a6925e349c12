/** Notes in the tools' answers: lines that no rule restates, names that do not exist, rules that contradict each other. */
import type { InstructionFile } from '../discover.ts'
import type { Remaining } from '../in-place/index.ts'
import type { StaleName } from '../markdown/stale-names.ts'
import type { RulePair } from '../meaning/contradictions.ts'
import { type Place, projectRoot } from '../paths/boundary.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markHidden } from '../text/hidden-characters.ts'
import { inBackticks } from '../text/quoted-name.ts'

const MAX_QUOTED = 100

/** Quotes text of a file as data: in backticks, on one line, cut, hidden characters marked. */
export const inCode = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return inBackticks(markHidden(line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line))
}

const MAX_LISTED = 20

/** Joins the first of some items by commas, and counts the others. */
export const list = (items: Array<string>, max = MAX_LISTED): string => {
  const more = items.length - max
  return items.slice(0, max).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

const toRange = ([first, last]: [number, number]): string => first === last ? `${first}` : `${first}-${last}`

/** Notes which lines of a file no rule restates, those that order something first; empty where all are restated. */
export const remainingNote = ({ ordering, others, overtaken }: Remaining): Array<string> => {
  const orders = ordering.length === 0
    ? []
    : [
      `${ordering.length === 1 ? 'line' : 'lines'} ${
        list(ordering.map(String))
      } (an order: was it left out?)`,
    ]
  const rest = others.length === 0 ? [] : [`lines ${list(others.map(toRange))}`]
  const stays = [...orders, ...rest]
  return [
    ...(stays.length === 0 ? [] : [`In no rule, so they stay as they are: ${stays.join('; ')}.`]),
    ...(overtaken.length === 0
      ? []
      : [
        `What stays on ${
          list(overtaken.map((line) => `line ${line}`))
        } will stand before the rules made of the words before it. If it explains one, put it into that rule's source and reason.`,
      ]),
  ]
}

const staleItem = ({ path, line, name, reason }: StaleName): string =>
  `${path} line ${line}: ${inCode(name)}: ${reason}`

/** Notes on the texts of files: which names do not exist any more. */
export type TextNotes = { stale: Array<string> }

// How many characters are searched for one answer: as many as it can show.
const MAX_JUDGED = 200_000

/** Makes the notes on the texts that discover-rules shows. */
export const textNotes = async (files: Array<InstructionFile>, place: Place): Promise<TextNotes> => {
  const { staleNames } = await import('../markdown/stale-names.ts')
  let judged = 0
  const texts = files.filter(({ content, error }) => {
    if (error !== undefined || (judged > 0 && judged + content.length > MAX_JUDGED)) return false
    judged += content.length
    return true
  })
  const stale = await staleNames(texts, { root: projectRoot(place), directory: place.directory })
  return { stale: stale.map(staleItem) }
}

const toWords = ({ strength, action, target, context }: ParsedRule): string =>
  inCode([strength, action, target, context ?? ''].filter((word) => word.trim() !== '').join(' '))

/** Notes which of the parsed rules contradict or repeat each other; empty where none does. */
export const pairsNote = (rules: Array<ParsedRule>, pairs: Array<RulePair>): Array<string> => {
  const linesOf = (kind: RulePair['kind']): Array<string> =>
    pairs.filter((pair) => pair.kind === kind).map(({ first, second }) =>
      `- rule ${first}, ${toWords(rules[first - 1]!)}, and rule ${second}, ${toWords(rules[second - 1]!)}`
    )
  const section = (title: string, lines: Array<string>): Array<string> =>
    lines.length === 0 ? [] : [[title, ...shorten(lines)].join('\n')]
  return [
    ...section('Contradictory; which one holds is for the person to say, so ask:', linesOf('contradiction')),
    ...section('There twice; parse each rule once:', linesOf('repetition')),
  ]
}

const shorten = (lines: Array<string>): Array<string> =>
  lines.length <= MAX_LISTED
    ? lines
    : [...lines.slice(0, MAX_LISTED), `- and ${lines.length - MAX_LISTED} more`]
