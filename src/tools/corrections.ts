/** Corrections of single rules: a model that was answered about one of many need not send all of them again. */
import { isObject } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { fail, ok, type Result } from '../safe.ts'

/** Says how to send corrections. */
export const CORRECT_SOME = 'Of several rules only those that change need be sent, by number: {"2": …}.'

/** Reads corrections: `{"5": …}`, or a list whose members have their `index`, both counted from 1. */
const correctionsIn = (value: unknown): Array<[number: number, rule: unknown]> | undefined => {
  if (Array.isArray(value)) {
    const isIndexed = value.length > 0
      && value.every((one) => isObject(one) && Number.isInteger(Number(one['index'] ?? Number.NaN)))
    return isIndexed
      ? value.map(({ index, ...rule }) => [Number(index), rule['rule'] ?? rule['text'] ?? rule])
      : undefined
  }
  const keys = isObject(value) ? Object.keys(value) : []
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key))
    ? Object.entries(value as object).map(([key, rule]) => [Number(key), rule])
    : undefined
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
  if (corrections === undefined) {
    if (Array.isArray(value)) sent.set(tool, value)
    return ok(args)
  }
  const last = sent.get(tool) ?? []
  // All rules, each with its number.
  if (last.length === 0 && corrections.every(([number], index) => number === index + 1)) {
    sent.set(tool, corrections.map(([, rule]) => rule))
    return ok({ ...args as object, rules: { rules: sent.get(tool) } })
  }
  const rules = [...last]
  for (const [number, rule] of corrections) {
    if (number < 1 || number > last.length) {
      return fail(
        `There is no rule ${number} to correct: ${last.length} were sent to ${tool} in this session. Send all rules.`,
      )
    }
    const before = last[number - 1]
    rules[number - 1] = isObject(rule) && isObject(before) ? { ...before, ...rule } : rule
  }
  sent.set(tool, rules)
  return ok({ ...args as object, rules: { rules } })
}
