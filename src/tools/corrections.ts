/** Lets the model correct the rules that it last sent to parse-rules or format-rules: `{"5": …}` corrects the fifth. */
import type { ToolContext } from '@opencode-ai/plugin'
import { isObject, type Issue } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { ParsedRuleSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { runInTurn } from './call-order.ts'
import type { SessionStates } from './pipeline-state.ts'

const MAX_RULES_IN_ADVICE = 5

const howToCorrect = (issues: Array<Issue>, rules: Array<unknown>): Array<string> => {
  // An issue with the path `['rules', 4, 'target']` is in rule 5.
  const numbers = issues.flatMap(({ path: [, index] }) => typeof index === 'number' ? [index + 1] : [])
  if (rules.length < 2 || numbers.length === 0) return []
  const entries = [...new Set(numbers)].slice(0, MAX_RULES_IN_ADVICE).map((number) => `"${number}": …`)
  return [`Send only the changed rules, as "rules", by number: {${entries.join(', ')}}.`]
}

// More than the default of `formatIssues`, because the issues may be about many rules.
const MAX_LENGTH = 4_000

export const formatRuleIssues = (
  issues: Array<Issue>,
  rules: Array<unknown>,
  advice: Array<string> = [],
): string =>
  formatIssues('Schema validation failed:', issues, [...advice, ...howToCorrect(issues, rules)], MAX_LENGTH)

const unwrapRules = (value: unknown): unknown => isObject(value) && 'rules' in value ? value['rules'] : value

/** `number` counts from 1, and `rule` is a whole rule or some of its properties. */
type Correction = { number: number; rule: unknown }

/**
 * A model may send corrections as
 * - an object whose keys are numbers: `{"5": "- x", "6": {"target": "y"}}`
 * - a list of items: `[{"index": 5, "rule": "- x"}, {"index": 6, "target": "y"}]`
 * - a single item: `{"index": 5, "rule": "- x"}`
 */
const itemsOf = (value: unknown): Array<unknown> => {
  if (Array.isArray(value)) return value
  if (!isObject(value) || 'index' in value) return [value]
  return Object.entries(value).map(([index, rule]) => isObject(rule) ? { ...rule, index } : { rule, index })
}

const toCorrection = (item: unknown): Correction | undefined => {
  if (!isObject(item)) return undefined
  const { index, ...rest } = item
  if (!/^-?\d+$/.test(String(index))) return undefined
  return { number: Number(index), rule: 'rule' in rest ? rest['rule'] : rest }
}

/** Returns `[]` if an item has no number, because the value is then a whole list of rules, or invalid. */
const correctionsIn = (value: unknown): Array<Correction> => {
  const corrections = itemsOf(value).map(toCorrection)
  return corrections.every((correction) => correction !== undefined) ? corrections : []
}

const merge = (earlier: object, correction: object): object => {
  const known = Object.entries(earlier).filter(([key]) => Object.hasOwn(ParsedRuleSchema.shape, key))
  return { ...Object.fromEntries(known), ...correction }
}

const applyCorrections = (
  sent: Array<unknown>,
  corrections: Array<Correction>,
  tool: string,
): Result<Array<unknown>> => {
  // If there are more corrections than sent rules, and their numbers are 1, 2, 3 and so on, they are a new list.
  const isNewList = corrections.length > sent.length
    && corrections.every(({ number }, position) => number === position + 1)
  if (isNewList) return ok(corrections.map(({ rule }) => rule))
  const rules = [...sent]
  const correctedNumbers = new Set<number>()
  for (const { number, rule } of corrections) {
    if (correctedNumbers.has(number)) return fail(`Rule ${number} is corrected twice: send it once.`)
    correctedNumbers.add(number)
    if (number < 1 || number > sent.length) {
      const reason = `${tool} was sent ${pluralize(sent.length, 'rule')} in this session`
      return fail(`There is no rule ${number} to correct: ${reason}. Send all rules.`)
    }
    const earlier = sent[number - 1]
    rules[number - 1] = isObject(rule) && isObject(earlier) ? merge(earlier, rule) : rule
  }
  return ok(rules)
}

/** Creates the hooks of a tool whose calls may correct single rules. */
export const correctable = (sessions: SessionStates, tool: 'parse-rules' | 'format-rules') => ({
  /** Replaces corrections in the argument `rules` with the whole corrected list. */
  prepare: (args: unknown, { sessionID }: ToolContext): Result<unknown> => {
    if (!isObject(args)) return ok(args)
    const value = typeof args['rules'] === 'string' ? parseJson(args['rules']).data : args['rules']
    const corrections = correctionsIn(unwrapRules(value))
    if (corrections.length === 0) {
      // Passes on the parsed value, so that a list sent as text is parsed only once.
      const isParsed = isObject(value) || Array.isArray(value)
      return ok(isParsed ? { ...args, rules: value } : args)
    }
    const corrected = applyCorrections(sessions.of(sessionID).listToCorrect(tool), corrections, tool)
    if (corrected.error !== null) return corrected
    // In parse-rules, `{"2": null}` removes the second rule. In format-rules, it removes nothing, because the model may
    // repeat the call to confirm its texts, and the repeated call would remove the new second text.
    const rules = tool === 'parse-rules' ? corrected.data.filter((rule) => rule !== null) : corrected.data
    return ok({ ...args, rules: { rules } })
  },
  onInvalid: (args: unknown, { sessionID, messageID }: ToolContext, issues: Array<Issue>) =>
    runInTurn(sessionID, async () => {
      const session = sessions.of(sessionID)
      // `args` are `{"rules": […]}` or `{"rules": {"rules": […]}}`.
      const rules = unwrapRules(unwrapRules(args))
      if (tool === 'parse-rules') session.storeParseRefused()
      else session.dropTexts()
      if (!Array.isArray(rules)) return []
      session.storeSent(tool, { rules, messageID, isRefused: true })
      return howToCorrect(issues, rules)
    }),
})
