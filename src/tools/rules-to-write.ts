import type { Mode } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { formatIssues } from '../validate.ts'
import { count } from './define-tool.ts'
import { modeIssues } from './mode.ts'
import type { FormattedRules } from './pipeline-state.ts'

/** The rules that rewrite-rules or add-rules writes; `notes` is what the answer says about them. */
export type RulesToWrite = FormattedRules & { notes: Array<string> }

const NOTHING_FORMATTED =
  'There are no rules to write: "rules" was left out, and format-rules has validated none in this session since the last parse-rules. Call format-rules first, then call this tool again.'

/**
 * Chooses the rules to write: those that the call gives, or else those that format-rules last validated in this
 * session, in the mode that they were validated for (spec.md, No text twice).
 *
 * @returns an error where there are none, or where they do not have the form of the mode that the call gives
 */
export const rulesToWrite = (
  given: { rules?: { rules: Array<string> } | undefined; mode?: Mode | undefined },
  formatted: FormattedRules | undefined,
): Result<RulesToWrite> => {
  if (given.rules !== undefined) return ok({ rules: given.rules.rules, mode: given.mode, notes: [] })
  if (formatted === undefined) return fail(NOTHING_FORMATTED)
  const { rules, withoutReason } = formatted
  const mode = given.mode ?? formatted.mode
  const issues = given.mode === undefined ? [] : modeIssues(rules, given.mode, withoutReason)
  if (issues.length > 0) {
    return fail(
      formatIssues(`format-rules validated no rules for mode ${mode}; call it with this mode first:`, issues),
    )
  }
  return ok({
    rules,
    mode,
    notes: [`Written: the ${count(rules.length, 'rule')} that format-rules last validated.`],
  })
}
