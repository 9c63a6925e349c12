import { quote } from './quote.ts'
import type { Mode } from './rule-schema.ts'
import type { Issue } from './schema-issues.ts'

const FORMS: Record<Mode, string> = {
  verbose: '"Rule: …", a line break and "Reason: …"',
  balanced: '"Rule: …", and where it helps a line break and "Reason: …"',
  concise: 'one line "- …" without a reason',
}

const count = (rule: string, label: RegExp): number => rule.match(label)?.length ?? 0

const RULE = /^Rule:[ \t]*\S/gm
const REASON = /^Reason:[ \t]*\S/gm
const LABEL = /^(?:Rule|Reason):/gm

/** What keeps a formatted rule from the form of a mode, if anything does. */
const faultOf = (rule: string, mode: Mode): string | undefined => {
  const text = rule.replace(/\r\n?/g, '\n').trim()
  if (mode === 'concise') {
    if (text.includes('\n')) return 'it has several lines'
    if (!/^- \s*\S/.test(text)) return 'it does not start with "- "'
    return /\bReason:/.test(text) ? 'it holds a reason' : undefined
  }
  if (!/^Rule:[ \t]*\S/.test(text)) return 'it does not start with "Rule: "'
  if (count(text, RULE) > 1) return 'it holds several rules'
  const reasons = count(text, REASON)
  if (reasons > 1) return 'it holds several reasons'
  if (count(text, LABEL) > 1 + reasons) return 'its reason is empty'
  return mode === 'verbose' && reasons === 0 ? 'it has no line "Reason: …"' : undefined
}

/** Each formatted rule that does not keep to a mode that was given, by its number (spec.md, Modes). */
export const modeIssues = (rules: Array<string>, mode: Mode): Array<Issue> =>
  rules.flatMap((rule, index) => {
    const fault = faultOf(rule, mode)
    if (fault === undefined) return []
    const shown = quote(rule, 50)
    const message = `expected for mode ${mode}: ${FORMS[mode]}; got rule ${index + 1}, ${fault}: ${shown}`
    return [{ path: ['rules', index], message }]
  })
