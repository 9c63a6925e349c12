/** What a model reads of the lines that break rules. */
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInWords, plainName } from '../text/quoted-name.ts'
import { type Break, shownLine } from './judge.ts'

/** What breaks a rule in a file; `words` are the rule's own, where they may be stored in a session. */
export type Finding = { rule: string; words?: string | undefined; breaks: Array<Break> }

const MAX_LINES = 3
const MAX_RULES = 5
const MAX_WORDS = 300

const lineOf = (one: Break): string =>
  'lacks' in one
    ? `  nothing in the file matches ${plainName(one.lacks)}`
    : `  ${one.line}: ${markName(shownLine(one.text))}`

/** Gives the first paragraph of a rule's words, below its heading. */
const firstParagraph = (words: string): string => {
  const paragraphs = words.split(/(?:\r?\n|\r)[^\S\r\n]*(?:\r?\n|\r)/)
  const first = paragraphs.find((one) => !/^#{1,6}\s.*$/.test(one.trim())) ?? ''
  return markName(first.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS))
}

const sectionOf = ({ rule, words, breaks }: Finding, isKnown: boolean): string => {
  const name = plainName(rule)
  const more = breaks.length - MAX_LINES
  return [
    words === undefined || isKnown ? `${name}:` : `${name}: ${firstParagraph(words)}`,
    ...breaks.slice(0, MAX_LINES).map(lineOf),
    ...(more > 0 ? [`  and ${pluralize(more, 'more line')}`] : []),
  ].join('\n')
}

/**
 * Makes the function that answers for one file of a step after the other: the words of a rule once, and after so many
 * rules only their number.
 */
export const answers = (): (file: string, findings: Array<Finding>) => string => {
  const known = new Set<string>()
  return (file, findings) => {
    const sections = findings.flatMap((finding) => {
      const isKnown = known.has(finding.rule)
      if (!isKnown && known.size === MAX_RULES) return []
      known.add(finding.rule)
      return [sectionOf(finding, isKnown)]
    })
    const more = findings.length - sections.length
    return [
      `What was just written to ${nameInWords(file)} breaks rules. Mend it before you go on:`,
      ...sections,
      ...(more > 0 ? [`and ${pluralize(more, 'more rule')}`] : []),
    ].join('\n')
  }
}

const MAX_REMINDED = 10

/** Something that breaks a rule, as it is stored. */
type Broken = { rule: string; path: string; line?: number | undefined; text?: string | undefined }

/** Names what breaks rules, one a line. */
export const listBroken = (broken: Array<Broken>): string => {
  const more = broken.length - MAX_REMINDED
  return [
    ...broken.slice(0, MAX_REMINDED).map(({ rule, path, line, text }) => {
      const place = line === undefined ? nameInWords(path) : `${nameInWords(path)}:${line}`
      return `  ${plainName(rule)} ${place}${text === undefined ? '' : `: ${markName(text)}`}`
    }),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

/** Makes the reminder of what stands since an earlier turn. */
export const reminderOf = (broken: Array<Broken>): string =>
  `What you wrote in an earlier turn still breaks rules. Mend it too, unless it was said that it stays:\n${
    listBroken(broken)
  }`
