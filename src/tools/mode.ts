import { linesOfRule, type RuleWords, wordsOfRule } from '../in-place/rule-words.ts'
import { type Issue, quote } from '../json/issues.ts'
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

const FORMS: Record<Mode, string> = {
  verbose: '"Rule: …", a line break and "Reason: …"',
  balanced: '"Rule: …", and where it helps a line break and "Reason: …"',
  concise: 'one line "- …" without a reason',
}

type Faults = Array<[sign: RegExp, fault: string]>

const CONCISE: Faults = [
  [/\n/, 'it has several lines'],
  [/^(?!- \s*\S)/, 'it does not start with "- "'],
  // Not in backticks.
  [/^(?:[^`]|`[^`]*`)*?\bReason:/, 'it holds a reason'],
]

// A label begins a line.
const LABELLED: Faults = [
  [/^(?!Rule:[ \t]*\S)/, 'it does not start with "Rule: "'],
  [/\nRule:[ \t]*\S/, 'it holds several rules'],
  [/\nReason:[ \t]*\S[^]*\nReason:[ \t]*\S/, 'it holds several reasons'],
  [/\n(?:Rule|Reason):[ \t]*(?:\n|$)/, 'its reason is empty'],
]

const WITH_REASON: Faults = [...LABELLED, [
  /^(?![^]*\nReason:)/,
  'it has no line "Reason: …" (it needs none where it was parsed without a reason)',
]]

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
    const needsReason = mode === 'verbose' && !withoutReason.has(index)
    const faults = mode === 'concise' ? CONCISE : needsReason ? WITH_REASON : LABELLED
    const text = withLineFeeds(rule).trim()
    const fault = faults.find(([sign]) => sign.test(text))?.[1]
    if (fault === undefined) return []
    const got = `rule ${index + 1}, ${fault}: ${quote(rule, 50)}`
    return [{ path: ['rules', index], expected: `for mode ${mode}: ${FORMS[mode]}`, got }]
  })

// What may begin a block of Markdown; all else is a line of a paragraph.
const MAY_BEGIN_BLOCK = /^[ \t]*(?:[#>+*~`|<[=-]|\d|Rule:)/m

/** Names what the lines of a rule hold that would be broken on one line: a list, code, another rule. */
const heldIn = ({ sentence, reason }: RuleWords, kindOfBlock: (lines: string) => string | undefined) => {
  const lines = `${sentence}\n\nx ${reason}`.replace(/^[ \t]+/gm, '')
  return /^Rule:/m.test(lines) ? 'several rules' : kindOfBlock(lines)
}

/**
 * Finds the formatted rules whose words are no sentence to Markdown, such as a heading.
 *
 * @param isOneLine whether each comes on one line, in the place of a source or after other rules: then none holds a list
 */
export const blockIssues = async (rules: Array<string>, isOneLine: boolean): Promise<Array<Issue>> => {
  const lines = rules.map(linesOfRule)
  if (!lines.some(({ sentence, reason }) => MAY_BEGIN_BLOCK.test(`${sentence}\n${reason}`))) return []
  const { kindOfBlock } = await import('../in-place/index.ts')
  return rules.flatMap((rule, index) => {
    const { sentence } = wordsOfRule(rule)
    const kind = kindOfBlock(sentence)
    const held = isOneLine ? heldIn(lines[index]!, kindOfBlock) : undefined
    const fault = kind !== undefined
      ? `is ${kind} to Markdown, no sentence: ${quote(sentence, 50)}`
      : `holds ${held}, expected one sentence: ${quote(rule, 50)}`
    return kind === undefined && held === undefined
      ? []
      : [{ path: ['rules', index], message: `rule ${index + 1} ${fault}` }]
  })
}
