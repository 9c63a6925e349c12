/** The words on what breaks rules. */
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInWords, plainName } from '../text/quoted-name.ts'
import type { Broken } from './judge.ts'

const MAX_LINES = 3
const MAX_RULES = 5
const MAX_LISTED = 10
const MAX_WORDS = 300

/** Names what breaks a rule, after a place. */
const named = (place: string, { text }: Broken): string =>
  text === undefined ? `${place} lacks what it requires` : `${place}: ${markName(text)}`

/** Lists what breaks rules: the first of it, and the number of the rest. */
export const listBroken = (broken: Array<Broken>): string => {
  const more = broken.length - MAX_LISTED
  const lines = broken.slice(0, MAX_LISTED).map((one) =>
    `  ${plainName(one.rule)} ${
      named(nameInWords(one.path) + (one.line === undefined ? '' : `:${one.line}`), one)
    }`
  )
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')
}

/** Gives the first paragraph of a rule, below its heading. */
const firstParagraph = (body: string): string => {
  const paragraph = body.split(/\n\s*\n/).find((one) => !/^#{1,6}\s.*$/.test(one.trim())) ?? ''
  return markName(paragraph.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS))
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
    const all = broken.filter((one) => one.rule === rule)
    const more = all.length - MAX_LINES
    return [[
      `${plainName(rule)}:${body === undefined ? '' : ` ${firstParagraph(body)}`}`,
      ...all.slice(0, MAX_LINES).map((one) =>
        `  ${named(one.line === undefined ? 'the file' : `${one.line}`, one)}`
      ),
      ...(more > 0 ? [`  and ${pluralize(more, 'more line')}`] : []),
    ].join('\n')]
  })
  const more = rules.length - sections.length
  return [
    `What was just written to ${nameInWords(broken[0]!.path)} breaks rules. Mend it before you go on:`,
    ...sections,
    ...(more > 0 ? [`and ${pluralize(more, 'more rule')}`] : []),
  ].join('\n')
}
