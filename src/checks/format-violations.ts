/** Formats violations of rules, for the model and the person. */
import { markHidden } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { firstRows, nameInSentence, safeName, truncate } from '../text/quoted-name.ts'
import type { Unchecked } from './check-step.ts'
import { countViolations, type Violation } from './violations.ts'

// The maximum number of lines that are quoted for a rule.
const MAX_QUOTED = 3
const MAX_RULES = 5
const MAX_PARAGRAPH = 300

/** Formats the first violations, one line each, and the number of the others. */
export const formatViolations = (broken: Array<Violation>): string => {
  const { rows } = firstRows(broken)
  const lines = rows.map(({ rule, path, line, text }) =>
    `  ${safeName(rule)} ${nameInSentence(path)}${line === undefined ? '' : `:${line}`}: ${markHidden(text)}`
  )
  const more = countViolations(broken.slice(rows.length))
  return (more > 0 ? [...lines, `  and ${more} more`] : lines).join('\n')
}

/** Formats the violations of a rule in a file: their line numbers, and the texts of those without a line. */
const positionsOf = (broken: Array<Violation>): string => {
  const numbers = broken.flatMap(({ line }) => line ?? []).toSorted((a, b) => a - b)
  const lines = numbers.length > 0 ? [`${numbers.length > 1 ? 'lines' : 'line'} ${numbers.join(', ')}`] : []
  const others = broken.flatMap(({ line, text }) => line === undefined ? markHidden(text) : [])
  return [...lines, ...others].join(', ')
}

/** Formats a note on what was not checked in a file, and why. */
export const formatUnchecked = ({ path, lines, rules }: Unchecked): string => {
  const reason = rules > 0 ? 'time ran out or the file is too long' : 'time ran out'
  return `Not checked in ${nameInSentence(path)}, because ${reason}: ${countUnchecked({ lines, rules })}.`
}

/** Formats the numbers of lines and of rules that were not checked. */
export const countUnchecked = ({ lines, rules }: Omit<Unchecked, 'path'>): string =>
  [
    ...(lines > 0 ? [pluralize(lines, 'line')] : []),
    ...(rules > 0 ? [`what ${pluralize(rules, 'rule')} ${rules === 1 ? 'requires' : 'require'}`] : []),
  ].join(', ')

/** Formats the violations that are still in a file, in one line. */
export const formatUnresolved = (broken: Array<Violation>): string => {
  const rules = [...new Set(broken.map(({ rule }) => rule))].map((rule) =>
    `${positionsOf(broken.filter((violation) => violation.rule === rule))} (${safeName(rule)})`
  )
  return `In ${nameInSentence(broken[0]!.path)} still: ${rules.join('; ')}`
}

/** Returns the first paragraph of a rule below its first headings, or the last of these headings if there is none. */
const firstParagraph = (body: string): string => {
  const [paragraph = ''] = body.trim().replace(/^(?:#{1,6}\s[^\n]*\n\s*)+/, '').split(/\n\s*\n/)
  return markHidden(truncate(paragraph.replace(/^#{1,6}\s/, '').replace(/\s+/g, ' ').trim(), MAX_PARAGRAPH))
}

/**
 * Formats the new violations in a file of a step.
 *
 * @param bodyOf returns the text of a rule; its first paragraph is quoted the first time the rule is reported in a step
 * @param reported the rules that were reported in this step, at most five; the rules of this file are added
 */
export const formatNewViolations = (
  broken: Array<Violation>,
  bodyOf: (rule: string) => string | undefined,
  reported: Set<string>,
): string => {
  const rules = [...new Set(broken.map(({ rule }) => rule))]
  const sections = rules.flatMap((rule) => {
    const body = reported.has(rule) ? undefined : bodyOf(rule)
    if (!reported.has(rule) && reported.size === MAX_RULES) return []
    reported.add(rule)
    const ofRule = broken.filter((violation) => violation.rule === rule)
    const rest = ofRule.slice(MAX_QUOTED)
    return [[
      safeName(rule) + (body === undefined ? '' : `: ${firstParagraph(body)}`),
      ...ofRule.slice(0, MAX_QUOTED).map(({ line, text }) =>
        `  ${line === undefined ? '' : `${line}: `}${markHidden(text)}`
      ),
      ...(rest.length > 0 ? [`  and ${positionsOf(rest)}`] : []),
    ].join('\n')]
  })
  const more = rules.length - sections.length
  return [
    `What was just written to ${nameInSentence(broken[0]!.path)} breaks rules. Fix it, or say why it stays:`,
    ...sections,
    ...(more > 0 ? [`and ${pluralize(more, 'more rule')}`] : []),
  ].join('\n')
}
