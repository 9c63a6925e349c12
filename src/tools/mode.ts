/** Checks that formatted rules have the form of a mode. */
import { type Issue, quote } from '../json/issues.ts'
import type { Mode, ParsedRule } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

const FORMS: Record<Mode, string> = {
  verbose:
    'one "Rule: …", a line break and one "Reason: …" (none for a rule that was parsed without a reason, or that is in a heading or table)',
  balanced: 'one "Rule: …" and, where a reason helps, a line break and one "Reason: …"',
  concise: 'one line "- …" without a reason',
}

const hasForm = (rule: string, mode: Mode, parsed?: ParsedRule): boolean => {
  const text = withLineFeeds(rule).trim()
  if (mode === 'concise') {
    const withoutCode = text.replace(/`[^`]*`/g, '')
    return /^- [ \t]*\S.*$/.test(text) && !/\bReason:/.test(withoutCode)
  }
  const labels = text.match(/^(?:Rule|Reason):/gm)?.join('')
  const hasEmptyLabel = /^(?:Rule|Reason):[ \t]*$/m.test(text)
  const wasParsedWithoutReason = parsed !== undefined && (parsed.reason ?? '').trim() === ''
  const mayOmitReason = mode === 'balanced' || wasParsedWithoutReason
  return text.startsWith('Rule:') && !hasEmptyLabel
    && (labels === 'Rule:Reason:' || labels === 'Rule:' && mayOmitReason)
}

/** Creates an issue for each formatted rule that lacks the form of a mode. `parsed` are the rules before formatting. */
export const modeIssues = (rules: Array<string>, mode: Mode, parsed: Array<ParsedRule> = []): Array<Issue> =>
  rules.flatMap((rule, index) => {
    const expected = `for mode ${mode}: ${FORMS[mode]}`
    const got = `rule ${index + 1}: ${quote(rule, 50)}`
    return hasForm(rule, mode, parsed[index]) ? [] : [{ path: ['rules', index], expected, got }]
  })
