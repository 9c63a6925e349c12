/** Checks that formatted rules have the form of a mode. */
import { type Issue, quote } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

const FORMS: Record<Mode, string> = {
  verbose:
    'one "Rule: …", a line break and one "Reason: …" (none for a rule that was parsed without a reason)',
  balanced: 'one "Rule: …", and where it helps a line break and one "Reason: …"',
  concise: 'one line "- …" without a reason',
}

/** Whether a formatted rule has the form of a mode. */
const hasForm = (rule: string, mode: Mode, needsReason: boolean): boolean => {
  const text = withLineFeeds(rule).trim()
  if (mode === 'concise') {
    return /^- [ \t]*\S.*$/.test(text) && !/\bReason:/.test(text.replace(/`[^`]*`/g, ''))
  }
  const labels = text.match(/^(?:Rule|Reason):[ \t]*/gm)?.map((label) => label.trim()).join('')
  const isWhole = text.startsWith('Rule:') && !/^(?:Rule|Reason):[ \t]*$/m.test(text)
  return isWhole && (labels === 'Rule:Reason:' || labels === 'Rule:' && !needsReason)
}

/**
 * Creates an issue for each formatted rule that does not have the form of a mode.
 *
 * @param withoutReason the indexes of rules that were parsed without a reason, and need none in the mode `verbose`
 */
export const modeIssues = (
  rules: Array<string>,
  mode: Mode,
  withoutReason: ReadonlySet<number> = new Set(),
): Array<Issue> =>
  rules.flatMap((rule, index) =>
    hasForm(rule, mode, mode === 'verbose' && !withoutReason.has(index))
      ? []
      : [{
        path: ['rules', index],
        expected: `for mode ${mode}: ${FORMS[mode]}`,
        got: `rule ${index + 1}: ${quote(rule, 50)}`,
      }]
  )
