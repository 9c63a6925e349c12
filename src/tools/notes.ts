/** The notes of tools on what a file says beyond its rules, what a rewrite lost, and which rules contradict each other. */
import type { InstructionFile } from '../discover.ts'
import type { LostPiece, LostText } from '../markdown/lost-text.ts'
import type { MarkdownForms } from '../markdown/markdown.ts'
import type { StaleName } from '../markdown/stale-names.ts'
import type { RulePair } from '../meaning/contradictions.ts'
import { type Place, projectRoot } from '../paths/boundary.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { markHidden } from '../text/hidden-characters.ts'
import { inBackticks } from '../text/quoted-name.ts'
import { count } from './define-tool.ts'

const MAX_QUOTED = 100

/** Quotes text of a file as data: in backticks, on one line, cut, hidden characters in sight. */
const inCode = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return inBackticks(markHidden(line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line))
}

const MAX_LISTED = 20

const list = (items: Array<string>, max = MAX_LISTED): string => {
  const more = items.length - max
  return items.slice(0, max).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

const FORMS = [
  ['codeBlocks', 'code block'],
  ['tables', 'table'],
  ['links', 'link'],
  ['headings', 'heading'],
] as const

/** How many lost pieces of a kind are quoted. */
const MAX_PIECES = 5

const toLostLine = (pieces: Array<LostPiece>, one: string): Array<string> =>
  pieces.length === 0
    ? []
    : [`- ${count(pieces.length, one)}: ${
      list(pieces.map(({ line, text }) => `${inCode(text)} (line ${line})`), MAX_PIECES)
    }`]

/**
 * Tells what a rewrite took out of a file that no rule says (spec.md, What is lost); empty where nothing was lost.
 *
 * @param hasBackup whether there is a backup of what the file said before
 */
export const lostNote = (path: string, lost: LostText, hasBackup: boolean): Array<string> => {
  const lines = [
    ...FORMS.flatMap(([form, one]) => toLostLine(lost[form], one)),
    ...(lost.names.length === 0
      ? []
      : [
        `- ${count(lost.names.length, 'name')} in backticks: ${
          list(lost.names.map(({ text }) => inCode(text)))
        }`,
      ]),
  ]
  if (lines.length === 0) return []
  const back = hasBackup
    ? ' It is in the backup; rewrite-rules with "restore": "latest", or the person\'s /restore-rules, brings it back.'
    : ''
  return [
    `Gone from ${inCode(path)}, and said by none of the rules. Tell the person.${back}\n${lines.join('\n')}`,
  ]
}

/** Counts what of a file is no rule by its form, in one line; empty where there is nothing. */
const formsItem = (path: string, { codeBlocks, tables, links }: MarkdownForms): Array<string> => {
  const counts = [
    ...(codeBlocks.length > 0 ? [count(codeBlocks.length, 'code block')] : []),
    ...(tables.length > 0 ? [count(tables.length, 'table')] : []),
    ...(links.length > 0 ? [count(links.length, 'link')] : []),
  ]
  return counts.length === 0 ? [] : [`${path}: ${counts.join(', ')}`]
}

const staleItem = ({ path, line, name, reason }: StaleName): string =>
  `${path} line ${line}: ${inCode(name)}: ${reason}`

/** Notes on the texts of files: what is no rule by its form, and which names do not exist any more. */
export type TextNotes = { forms: Array<string>; stale: Array<string> }

// How many characters are judged for one answer: as many as it can show.
const MAX_JUDGED = 200_000

/** Makes the notes on the texts that discover-rules shows (spec.md, What is lost, stale, contradictory). */
export const textNotes = async (files: Array<InstructionFile>, place: Place): Promise<TextNotes> => {
  const [{ formsOf }, { staleNames }] = await Promise.all([
    import('../markdown/lost-text.ts'),
    import('../markdown/stale-names.ts'),
  ])
  let judged = 0
  const texts = files.filter(({ content, error }) => {
    if (error !== undefined || (judged > 0 && judged + content.length > MAX_JUDGED)) return false
    judged += content.length
    return true
  })
  const stale = await staleNames(texts, { root: projectRoot(place), directory: place.directory })
  return {
    forms: texts.flatMap(({ path, content }) => formsItem(path, formsOf(content))),
    stale: stale.map(staleItem),
  }
}

const toWords = ({ strength, action, target, context }: ParsedRule): string =>
  inCode([strength, action, target, context ?? ''].filter((word) => word.trim() !== '').join(' '))

/** Tells which of the parsed rules contradict or repeat each other; empty where none does. */
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
