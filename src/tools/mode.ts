import { type Issue, quote } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

const FORMS: Record<Mode, string> = {
  verbose: '"Rule: …", a line break and "Reason: …"',
  balanced: '"Rule: …", and where it helps a line break and "Reason: …"',
  concise: 'one line "- …" without a reason',
}

const occurrences = (rule: string, label: RegExp): number => rule.match(label)?.length ?? 0

// `Rule:` or `Reason:` begins a line and has words after it; `LABEL` takes the empty ones, too.
const RULE = /^Rule:[ \t]*\S/gm
const REASON = /^Reason:[ \t]*\S/gm
const LABEL = /^(?:Rule|Reason):/gm

/** Gives the fault of a formatted rule against the form of a mode, if it has one. */
const faultOf = (rule: string, mode: Mode, hasReason: boolean): string | undefined => {
  const text = withLineFeeds(rule).trim()
  if (mode === 'concise') {
    if (text.includes('\n')) return 'it has several lines'
    if (!/^- \s*\S/.test(text)) return 'it does not start with "- "'
    return /\bReason:/.test(text) ? 'it holds a reason' : undefined
  }
  if (!/^Rule:[ \t]*\S/.test(text)) return 'it does not start with "Rule: "'
  if (occurrences(text, RULE) > 1) return 'it holds several rules'
  const reasons = occurrences(text, REASON)
  if (reasons > 1) return 'it holds several reasons'
  if (occurrences(text, LABEL) > 1 + reasons) return 'its reason is empty'
  return mode === 'verbose' && hasReason && reasons === 0 ? 'it has no line "Reason: …"' : undefined
}

/**
 * Finds the formatted rules that do not have the form of a mode.
 *
 * @param withoutReason the indexes of the rules that were parsed without a reason: in verbose they need none
 */
export const modeIssues = (
  rules: Array<string>,
  mode: Mode,
  withoutReason: ReadonlySet<number> = new Set(),
): Array<Issue> =>
  rules.flatMap((rule, index) => {
    const fault = faultOf(rule, mode, !withoutReason.has(index))
    if (fault === undefined) return []
    const shown = quote(rule, 50)
    const got = `rule ${index + 1}, ${fault}: ${shown}`
    return [{ path: ['rules', index], expected: `for mode ${mode}: ${FORMS[mode]}`, got }]
  })
