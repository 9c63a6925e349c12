/** The words on what breaks rules. */
import { markHidden } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { cut, firstLines, nameInWords, plainName } from '../text/quoted-name.ts'
import type { Broken } from './judge.ts'

const MAX_LINES = 3
const MAX_NUMBERS = 20
const MAX_RULES = 5
const MAX_WORDS = 300

/** Lists what breaks rules: the first of it, and the number of the rest. */
export const listBroken = (broken: Array<Broken>): string => {
  const lines = broken.map(({ rule, path, line, text }) =>
    `${plainName(rule)} ${nameInWords(path)}${line === undefined ? '' : `:${line}`}: ${markHidden(text)}`
  )
  return firstLines(lines).map((line) => `  ${line}`).join('\n')
}

/** Names all that breaks a rule in a file, lines by their numbers. */
const placesOf = (broken: Array<Broken>): string => {
  const numbers = broken.flatMap(({ line }) => line ?? []).toSorted((one, other) => one - other)
  const more = numbers.length - MAX_NUMBERS
  const shown = numbers.slice(0, MAX_NUMBERS).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const lines = numbers.length === 0 ? [] : [`${numbers.length > 1 ? 'lines' : 'line'} ${shown}`]
  const lacking = broken.flatMap(({ line, text }) => line === undefined ? markHidden(text) : [])
  return [...lines, ...lacking].join(', ')
}

/** Says what still breaks rules in a file, in one line. */
export const tellStanding = (broken: Array<Broken>): string => {
  const rules = [...new Set(broken.map(({ rule }) => rule))].map((rule) =>
    `${placesOf(broken.filter((one) => one.rule === rule))} (${plainName(rule)})`
  )
  return `In ${nameInWords(broken[0]!.path)} still: ${rules.join('; ')}`
}

/** Gives the first paragraph of a rule, below its headings; the last of these where nothing else is there. */
const firstParagraph = (body: string): string => {
  const [paragraph = ''] = body.trim().replace(/^(?:#{1,6}\s[^\n]*\n\s*)+/, '').split(/\n\s*\n/)
  return markHidden(cut(paragraph.replace(/^#{1,6}\s/, '').replace(/\s+/g, ' ').trim(), MAX_WORDS))
}

/**
 * Tells what breaks rules in a file of a step.
 *
 * @param bodyOf gives a rule's words, which are told once in a step
 * @param told the rules that were told in this step, at most five
 */
export const tellBroken = (
  broken: Array<Broken>,
  bodyOf: (rule: string) => string | undefined,
  told: Set<string>,
): string => {
  const rules = [...new Set(broken.map(({ rule }) => rule))]
  const sections = rules.flatMap((rule) => {
    const body = told.has(rule) ? undefined : bodyOf(rule)
    if (!told.has(rule) && told.size === MAX_RULES) return []
    told.add(rule)
    const own = broken.filter((one) => one.rule === rule)
    const rest = own.slice(MAX_LINES)
    return [[
      plainName(rule) + (body === undefined ? '' : `: ${firstParagraph(body)}`),
      ...own.slice(0, MAX_LINES).map(({ line, text }) =>
        `  ${line === undefined ? '' : `${line}: `}${markHidden(text)}`
      ),
      ...(rest.length > 0 ? [`  and ${placesOf(rest)}`] : []),
    ].join('\n')]
  })
  const more = rules.length - sections.length
  return [
    `What was just written to ${nameInWords(broken[0]!.path)} breaks rules. Mend it, or say why it stays:`,
    ...sections,
    ...(more > 0 ? [`and ${pluralize(more, 'more rule')}`] : []),
  ].join('\n')
}
