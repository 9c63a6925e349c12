/** The words in which tools tell what a file says beyond its rules, and what of it is no longer true. */
import type { InstructionFile } from '../discover.ts'
import { type Place, projectRoot } from '../files/boundary.ts'
import { markHidden } from '../files/hidden-characters.ts'
import type { LostPiece, LostText } from '../files/lost-text.ts'
import type { MarkdownForms } from '../files/markdown.ts'
import type { StaleName } from '../files/stale-names.ts'
import type { RulePair } from '../meaning/contradictions.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { count } from './define-tool.ts'

const MAX_QUOTED = 100

/** Text of a file as data: in backticks, on one line, cut, hidden characters in sight. */
const inCode = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  const shown = markHidden(line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line)
  // A longer run of backticks than any inside closes what it opens and nothing else.
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? fence + shown + fence : `${fence} ${shown} ${fence}`
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

/** A few pieces say enough of what was no rule; of names each one may matter. */
const MAX_PIECES = 5

const toLostLine = (pieces: Array<LostPiece>, one: string): Array<string> =>
  pieces.length === 0
    ? []
    : [`- ${count(pieces.length, one)}: ${
      list(pieces.map(({ line, text }) => `${inCode(text)} (line ${line})`), MAX_PIECES)
    }`]

/**
 * What a rewrite took out of a file that no rule says, or nothing where nothing went (spec.md, What is lost).
 *
 * @param hasBackup whether what the file said until now can be brought back
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

/** What of a file is no rule by its form, in one line; nothing where there is nothing. */
const formsItem = (path: string, { codeBlocks, tables, links }: MarkdownForms): Array<string> => {
  const counts = [
    ...(codeBlocks.length > 0 ? [count(codeBlocks.length, 'code block')] : []),
    ...(tables.length > 0 ? [count(tables.length, 'table')] : []),
    ...(links.length > 0 ? [count(links.length, 'link')] : []),
  ]
  return counts.length === 0 ? [] : [`${path}: ${counts.join(', ')}`]
}

const staleItem = (path: string, { line, name, reason }: StaleName): string =>
  `${path} line ${line}: ${inCode(name)}: ${reason}`

/** Notes about what files say: which forms of theirs are no rules, and which names are not true any more. */
export type TextNotes = { forms: Array<string>; stale: Array<string> }

// More text than one answer can show is not judged for it.
const MAX_JUDGED = 200_000

/** Judges the texts that discover-rules shows (spec.md, What is lost, stale, contradictory). */
export const textNotes = async (files: Array<InstructionFile>, place: Place): Promise<TextNotes> => {
  const [{ formsOf }, { staleNames }, { ProjectFiles }] = await Promise.all([
    import('../files/lost-text.ts'),
    import('../files/stale-names.ts'),
    import('../files/project-files.ts'),
  ])
  const projectFiles = new ProjectFiles(projectRoot(place))
  const notes: TextNotes = { forms: [], stale: [] }
  let judged = 0
  for (const { path, realPath = path, content, error } of files) {
    if (error !== undefined || (judged > 0 && judged + content.length > MAX_JUDGED)) continue
    judged += content.length
    const forms = formsOf(content)
    notes.forms.push(...formsItem(path, forms))
    const stale = await staleNames(realPath, forms.codeSpans, place.directory, projectFiles)
    notes.stale.push(...stale.map((one) => staleItem(path, one)))
  }
  return notes
}

const toWords = ({ strength, action, target, context }: ParsedRule): string =>
  inCode([strength, action, target, context ?? ''].filter((word) => word.trim() !== '').join(' '))

/** Which of the parsed rules contradict or repeat each other; nothing where none does. */
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
