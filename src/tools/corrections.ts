/** Corrections of single rules: a model that was answered about one of many need not send all of them again. */
import { isObject, type Issue } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { ParsedRuleSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'

const MOST_NUMBERS = 5

/** Says how to correct the rules that issues are about; nothing if no issue is about one of several rules. */
export const howToCorrect = (issues: Array<Issue>, { length }: Array<unknown>): Array<string> => {
  const indexes = issues.flatMap(({ path: [, index] }) => typeof index === 'number' ? [index] : [])
  const numbers = [...new Set(indexes)].slice(0, MOST_NUMBERS).map((index) => `"${index + 1}": …`)
  return length < 2 || numbers.length === 0
    ? []
    : [`Only what changes need be sent again, as "rules", by number: {${numbers.join(', ')}}.`]
}

/** Gives the rules of an object such as `{"rules": […]}`; all else is given as it is. */
export const rulesIn = (value: unknown): unknown =>
  isObject(value) && 'rules' in value ? value['rules'] : value

/**
 * Reads corrections, if a value is some: `{"5": …}`, or members with their `index`, one or a list of them, both counted
 * from 1. A rule may stand under its name: `{"index": 5, "rule": "…"}`.
 */
const correctionsIn = (value: unknown): Array<[number: number, rule: unknown]> => {
  const list = isObject(value) && 'index' in value ? [value] : value
  const entries = !Array.isArray(list)
    ? Object.entries(isObject(list) ? list : {})
    : list.every((one) => isObject(one) && 'index' in one)
    ? list.map(({ index, ...rule }): [string, unknown] => [String(index), rule])
    : []
  return entries.every(([key]) => /^-?\d+$/.test(key))
    ? entries.map(([key, rule]) => [Number(key), isObject(rule) && 'rule' in rule ? rule['rule'] : rule])
    : []
}

/** Adds what a correction says of a rule to what was sent of it, but for parts that no rule has. */
const merge = (before: object, rule: object): object => {
  const known = Object.entries(before).filter(([part]) => Object.hasOwn(ParsedRuleSchema.shape, part))
  return { ...Object.fromEntries(known), ...rule }
}

/**
 * Gives the arguments of a call with all rules: those that the tool was sent, each corrected where the call says so.
 *
 * @param sent the list of which a call may correct some
 */
export const withCorrections = (sent: Array<unknown>, tool: string, args: unknown): Result<unknown> => {
  if (!isObject(args)) return ok(args)
  const given = args['rules']
  const value = typeof given === 'string' ? parseJson(given).data?.value : given
  const corrections = correctionsIn(rulesIn(value))
  // Parsed, so that the text is read once.
  if (corrections.length === 0) {
    return ok(isObject(value) || Array.isArray(value) ? { ...args, rules: value } : args)
  }
  // All rules, each with its number.
  const isWhole = corrections.length > sent.length && corrections.every(([number], at) => number === at + 1)
  const rules = isWhole ? [] : [...sent]
  const numbers = new Set<number>()
  for (const [number, rule] of corrections) {
    if (numbers.size === numbers.add(number).size) {
      return fail(`Rule ${number} is corrected twice: send it once.`)
    }
    if (!isWhole && (number < 1 || number > sent.length)) {
      return fail(
        `There is no rule ${number} to correct: ${tool} was sent ${
          pluralize(sent.length, 'rule')
        } in this session. Send all rules.`,
      )
    }
    const before = rules[number - 1]
    rules[number - 1] = isObject(rule) && isObject(before) ? merge(before, rule) : rule
  }
  // To insist on sentences the same is sent again, which would leave out one more.
  const isKept = (rule: unknown): boolean => rule !== null || tool === 'format-rules'
  return ok({ ...args, rules: { rules: rules.filter(isKept) } })
}
