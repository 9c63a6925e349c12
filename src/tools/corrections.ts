/** Corrections of single rules: a model that was answered about one of many need not send all of them again. */
import { isObject } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { ParsedRuleSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'

/** Says how to send corrections. */
export const CORRECT_SOME =
  'Of several rules only those that change need be sent, by number: {"2": …}; null leaves one out.'

/** Gives a corrected rule, which may stand under a name: `{"rule": "…"}`. */
const ruleIn = (given: unknown): unknown => {
  const name = isObject(given) && ['rule', 'text'].find((key) => Object.hasOwn(given, key))
  return name ? given[name] : given
}

/**
 * Reads corrections, if a value is some: `{"5": …}`, or members with their `index`, one or a list of them, both counted
 * from 1.
 */
const correctionsIn = (value: unknown): Array<[number: number, rule: unknown]> => {
  const list = isObject(value) && 'index' in value ? [value] : value
  const entries: Array<[string, unknown]> = Array.isArray(list)
    ? list.map((one) => {
      const { index, ...rule } = isObject(one) ? one : {}
      return [String(index), rule]
    })
    : Object.entries(isObject(list) ? list : {})
  return entries.every(([key]) => /^-?\d+$/.test(key))
    ? entries.map(([key, rule]) => [Number(key), ruleIn(rule)])
    : []
}

/** Adds what a correction says of a rule to what was sent of it, but for parts that no rule has. */
const merge = (before: object, rule: object): object => {
  const known = Object.entries(before).filter(([part]) => Object.hasOwn(ParsedRuleSchema.shape, part))
  return { ...Object.fromEntries(known), ...rule }
}

/**
 * Gives the arguments of a call with all rules: those that the tool was sent last, each corrected where the call says so.
 *
 * @param sent what each tool was sent last; the rules of this call become that
 */
export const withCorrections = (
  sent: Map<string, Array<unknown>>,
  tool: string,
  args: unknown,
): Result<unknown> => {
  const given = isObject(args) ? args['rules'] : undefined
  const parsed = typeof given === 'string' ? parseJson(given).data?.value : given
  const value = isObject(parsed) && 'rules' in parsed ? parsed['rules'] : parsed
  const corrections = correctionsIn(value)
  if (corrections.length === 0) {
    if (Array.isArray(value)) sent.set(tool, value)
    return ok(args)
  }
  const last = sent.get(tool) ?? []
  // All rules, each with its number.
  const isWhole = corrections.length > last.length && corrections.every(([number], at) => number === at + 1)
  const unknown = isWhole ? undefined : corrections.find(([number]) => number < 1 || number > last.length)
  if (unknown !== undefined) {
    return fail(
      `There is no rule ${
        unknown[0]
      } to correct: ${last.length} were sent to ${tool} in this session. Send all rules.`,
    )
  }
  const corrected = isWhole ? [] : [...last]
  for (const [number, rule] of corrections) {
    const before = corrected[number - 1]
    corrected[number - 1] = isObject(rule) && isObject(before) ? merge(before, rule) : rule
  }
  const rules = corrected.filter((rule) => rule !== null)
  sent.set(tool, rules)
  return ok({ ...args as object, rules: { rules } })
}
