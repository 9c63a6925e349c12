/** Formats violations of rules for the model and the person. */
import { markHidden } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { firstRows, nameInSentence, safeName, truncate } from '../text/quoted-name.ts'
import type { Unchecked } from './check-step.ts'
import { countViolations, groupBy, type Violation } from './violations.ts'

const MAX_QUOTED_VIOLATIONS = 3
const MAX_REPORTED_RULES = 5
const MAX_PARAGRAPH_LENGTH = 300

/** Lists the first violations, one a line, and counts the others. */
export const formatViolations = (broken: Array<Violation>): string => {
  const { rows } = firstRows(broken)
  const lines = rows.map(({ rule, path, line, text }) =>
    `  ${safeName(rule)} ${nameInSentence(path)}${line === undefined ? '' : `:${line}`}: ${markHidden(text)}`
  )
  const more = countViolations(broken.slice(rows.length))
  return (more > 0 ? [...lines, `  and ${more} more`] : lines).join('\n')
}

const positionsOf = (broken: Array<Violation>): string => {
  const numbers = broken.flatMap(({ line }) => line ?? []).toSorted((a, b) => a - b)
  const lines = numbers.length > 0 ? [`line${numbers.length > 1 ? 's' : ''} ${numbers.join(', ')}`] : []
  const others = broken.flatMap(({ line, text }) => line === undefined ? markHidden(text) : [])
  return [...lines, ...others].join(', ')
}

export const formatUnchecked = ({ path, ...unchecked }: Unchecked): string =>
  `Not checked in ${nameInSentence(path)}, because time ran out or the text is too long: ${
    countUnchecked(unchecked)
  }.`

/** Returns a list such as `3 lines, the required text of 1 rule`. */
export const countUnchecked = ({ lines, rules }: Omit<Unchecked, 'path'>): string =>
  [
    ...(lines > 0 ? [pluralize(lines, 'line')] : []),
    ...(rules > 0 ? [`the required text of ${pluralize(rules, 'rule')}`] : []),
  ].join(', ')

const groupByRule = (broken: Array<Violation>) => groupBy(broken, ({ rule }) => rule)

export const formatUnresolved = (broken: Array<Violation>): string => {
  const rules = [...groupByRule(broken)].map(([rule, ofRule]) => `${positionsOf(ofRule)} (${safeName(rule)})`)
  return `Still broken in ${nameInSentence(broken[0]!.path)}: ${rules.join('; ')}`
}

const FIRST_HEADINGS = /^(?:#{1,6}\s[^\n]*\n\s*)+/

/** If the body has only headings, returns the last heading: `# A\n# B` → `B`. */
const firstParagraph = (body: string): string => {
  const [paragraph = ''] = body.replace(FIRST_HEADINGS, '').split(/\n\s*\n/)
  const line = paragraph.replace(/^#{1,6}\s/, '').replace(/\s+/g, ' ').trim()
  return markHidden(truncate(line, MAX_PARAGRAPH_LENGTH))
}

const quoteViolations = (broken: Array<Violation>): Array<string> => {
  const quoted = broken.slice(0, MAX_QUOTED_VIOLATIONS).map(({ line, text }) =>
    `  ${line === undefined ? '' : `${line}: `}${markHidden(text)}`
  )
  const others = broken.slice(MAX_QUOTED_VIOLATIONS)
  return others.length > 0 ? [...quoted, `  and ${positionsOf(others)}`] : quoted
}

/**
 * Quotes the first paragraph of a rule only in the first report of the rule in each step (see `check-step.ts`).
 *
 * @param bodyOf returns undefined if the rule must not be quoted
 * @param reportedRules the rules reported so far in the step, to which this report adds its rules
 */
export const formatNewViolations = (
  broken: Array<Violation>,
  bodyOf: (rule: string) => string | undefined,
  reportedRules: Set<string>,
): string => {
  const lines = [
    `What was just written to ${nameInSentence(broken[0]!.path)} breaks rules. Fix it, or say why it stays:`,
  ]
  let unreported = 0
  for (const [rule, ofRule] of groupByRule(broken)) {
    const isNew = !reportedRules.has(rule)
    if (isNew && reportedRules.size === MAX_REPORTED_RULES) {
      unreported += 1
      continue
    }
    reportedRules.add(rule)
    const body = isNew ? bodyOf(rule) : undefined
    lines.push(safeName(rule) + (body === undefined ? '' : `: ${firstParagraph(body)}`))
    lines.push(...quoteViolations(ofRule))
  }
  if (unreported > 0) lines.push(`and ${pluralize(unreported, 'more rule')}`)
  return lines.join('\n')
}
