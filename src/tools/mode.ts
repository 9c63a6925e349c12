import { wordsOfRule } from '../in-place/rule-words.ts'
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
const MAY_BEGIN_BLOCK = /^(?:[#>+*~`|<[=-]|\d)/

/** Finds the formatted rules whose words are no one line of text to Markdown, such as a heading or a list. */
export const blockIssues = async (rules: Array<string>): Promise<Array<Issue>> => {
  const sentences = rules.map((rule) => wordsOfRule(rule).sentence)
  if (!sentences.some((sentence) => MAY_BEGIN_BLOCK.test(sentence))) return []
  const { kindOfBlock } = await import('../in-place/index.ts')
  return sentences.flatMap((sentence, index) => {
    const kind = kindOfBlock(sentence)
    const message = `rule ${index + 1} is ${kind} to Markdown, no sentence: ${quote(sentence, 50)}`
    return kind === undefined ? [] : [{ path: ['rules', index], message }]
  })
}
