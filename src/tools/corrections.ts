/** Corrects single rules of the list that was sent to a tool, so that a model need not send the whole list again. */
import { isObject, type Issue } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { ParsedRuleSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'

const MAX_NUMBERS = 5

/** Describes how to correct the rules with issues; `[]` if no issue is about one of several rules. */
export const howToCorrect = (issues: Array<Issue>, { length }: Array<unknown>): Array<string> => {
  const indexes = issues.flatMap(({ path: [, index] }) => typeof index === 'number' ? [index] : [])
  const numbers = [...new Set(indexes)].slice(0, MAX_NUMBERS).map((index) => `"${index + 1}": …`)
  return length < 2 || numbers.length === 0
    ? []
    : [`Send again only what changes, as "rules", by number: {${numbers.join(', ')}}.`]
}

/** Returns the rules of an object such as `{"rules": […]}`, and any other value as it is. */
export const rulesIn = (value: unknown): unknown =>
  isObject(value) && 'rules' in value ? value['rules'] : value

/**
 * Parses corrections: `{"5": …}`, or one object or a list of objects with an `index`. Rules are counted from 1. An
 * object may have the rule as a property: `{"index": 5, "rule": "…"}`.
 *
 * @returns an empty list if the value contains anything but corrections
 */
const correctionsIn = (value: unknown): Array<[number: number, rule: unknown]> => {
  const list = isObject(value) && 'index' in value ? [value] : value
  const entries = !Array.isArray(list)
    ? Object.entries(isObject(list) ? list : {})
    : list.every((item) => isObject(item) && 'index' in item)
    ? list.map(({ index, ...rule }): [string, unknown] => [String(index), rule])
    : []
  return entries.every(([key]) => /^-?\d+$/.test(key))
    ? entries.map(([key, rule]) => [Number(key), isObject(rule) && 'rule' in rule ? rule['rule'] : rule])
    : []
}

/** Merges a correction into a rule that was sent before. Drops unknown properties of that rule. */
const merge = (sentRule: object, correction: object): object => {
  const known = Object.entries(sentRule).filter(([part]) => Object.hasOwn(ParsedRuleSchema.shape, part))
  return { ...Object.fromEntries(known), ...correction }
}

/**
 * Returns the arguments of a call. If its rules are corrections, applies them to the list that was sent before.
 *
 * @param sent the list that the call may correct
 */
export const withCorrections = (sent: Array<unknown>, tool: string, args: unknown): Result<unknown> => {
  if (!isObject(args)) return ok(args)
  const { rules: ruleArgument } = args
  const value = typeof ruleArgument === 'string' ? parseJson(ruleArgument).data?.value : ruleArgument
  const corrections = correctionsIn(rulesIn(value))
  // The parsed value replaces the text, which would take long to parse again.
  if (corrections.length === 0) {
    return ok(isObject(value) || Array.isArray(value) ? { ...args, rules: value } : args)
  }
  // If the numbers run from 1 to beyond the last rule sent before, the call sends a new list of numbered rules.
  const isNewList = corrections.length > sent.length
    && corrections.every(([number], index) => number === index + 1)
  const rules = isNewList ? [] : [...sent]
  const numbers = new Set<number>()
  for (const [number, rule] of corrections) {
    if (numbers.size === numbers.add(number).size) {
      return fail(`Rule ${number} is corrected twice: send it once.`)
    }
    if (!isNewList && (number < 1 || number > sent.length)) {
      const count = pluralize(sent.length, 'rule')
      return fail(
        `There is no rule ${number} to correct: ${tool} was sent ${count} in this session. Send all rules.`,
      )
    }
    const sentRule = rules[number - 1]
    rules[number - 1] = isObject(rule) && isObject(sentRule) ? merge(sentRule, rule) : rule
  }
  // `null` removes a rule of parse-rules, but no text of format-rules: a model confirms texts by sending the same call
  // again, which would remove a second text.
  const isKept = (rule: unknown): boolean => rule !== null || tool === 'format-rules'
  return ok({ ...args, rules: { rules: rules.filter(isKept) } })
}
