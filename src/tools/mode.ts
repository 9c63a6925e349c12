import { linesOfRule, wordsOfRule } from '../in-place/rule-and-reason.ts'
import { type Issue, quote } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

const FORMS: Record<Mode, string> = {
  verbose:
    'one "Rule: …", a line break and one "Reason: …" (none for a rule that was parsed without a reason)',
  balanced: 'one "Rule: …", and where it helps a line break and one "Reason: …"',
  concise: 'one line "- …" without a reason',
}

/** Whether a rule has the form of a mode. */
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
 * Finds the formatted rules that do not have the form of a mode.
 *
 * @param withoutReason the indexes of the rules that were parsed without a reason: in verbose they need none
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

// What may begin a block of Markdown; all else is a line of a paragraph.
const MAY_BEGIN_BLOCK = /^[ \t]*(?:[#>+*~`|<[=-]|\d|Rule:)/m

/**
 * Finds the formatted rules whose words are no sentence to Markdown, such as a heading.
 *
 * @param isOneLine whether each comes on one line, in the place of a source or after other rules: then none holds a list
 */
export const blockIssues = async (rules: Array<string>, isOneLine: boolean): Promise<Array<Issue>> => {
  const all = rules.map(linesOfRule)
  if (!all.some(({ sentence, reason }) => MAY_BEGIN_BLOCK.test(`${sentence}\n${reason}`))) return []
  const { kindOfBlock } = await import('../in-place/index.ts')
  return rules.flatMap((rule, index): Array<Issue> => {
    const path = ['rules', index]
    const { sentence } = wordsOfRule(rule)
    const kind = kindOfBlock(sentence)
    if (kind !== undefined) {
      return [{
        path,
        message: `rule ${index + 1} is ${kind} to Markdown, no sentence: ${quote(sentence, 50)}`,
      }]
    }
    const lines = `${all[index]!.sentence}\n\nx ${all[index]!.reason}`.replace(/^[ \t]+/gm, '')
    const held = /^Rule:/m.test(lines) ? 'several rules' : kindOfBlock(lines)
    const message = `rule ${index + 1} holds ${held}, expected one sentence: ${quote(rule, 50)}`
    return isOneLine && held !== undefined ? [{ path, message }] : []
  })
}
