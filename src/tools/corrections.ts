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

/** The lists of rules that a tool was sent, of which a call may correct some: of several in one message each has its turn. */
export class SentLists {
  #messageID: string | undefined
  /** Those of this message, in the order of the calls; a call is answered in that order. */
  #lists: Array<{ rules: Array<unknown>; isRefused?: boolean }> = []
  /** Those of earlier messages: what was refused, or else the last one. */
  #before: Array<Array<unknown>> = []

  /** Begins a call of a message. */
  begin(messageID: string | undefined): void {
    if (messageID === this.#messageID || this.#lists.length === 0) return void (this.#messageID = messageID)
    const refused = this.#lists.filter(({ isRefused }) => isRefused).map(({ rules }) => rules)
    const open = [...refused, ...this.#before.slice(this.#lists.length)]
    this.#before = open.length > 0 ? open : [this.#lists.at(-1)!.rules]
    this.#messageID = messageID
    this.#lists = []
  }

  /** Gives the list that the next call of this message corrects. */
  toCorrect(): Array<unknown> {
    return this.#before[this.#lists.length] ?? this.#lists.at(-1)?.rules ?? []
  }

  add(rules: Array<unknown>): void {
    this.#lists.push({ rules })
  }

  /** Notes what became of the first list that was not answered yet. */
  answered(isRefused: boolean): void {
    const list = this.#lists.find((one) => one.isRefused === undefined)
    if (list !== undefined) list.isRefused = isRefused
  }
}

/**
 * Gives the arguments of a call with all rules: those that the tool was sent, each corrected where the call says so.
 *
 * @param sent what the tool was sent; the rules of this call are added
 */
export const withCorrections = (sent: SentLists, tool: string, args: unknown): Result<unknown> => {
  const given = isObject(args) ? args['rules'] : undefined
  const parsed = typeof given === 'string' ? parseJson(given).data?.value : given
  const value = isObject(parsed) && 'rules' in parsed ? parsed['rules'] : parsed
  const corrections = correctionsIn(value)
  if (corrections.length === 0) {
    sent.add(Array.isArray(value) ? value : sent.toCorrect())
    return ok(args)
  }
  const last = sent.toCorrect()
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
  sent.add(rules)
  return ok({ ...args as object, rules: { rules } })
}
