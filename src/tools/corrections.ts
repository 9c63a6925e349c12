/** Lets the model correct the rules that it last sent to parse-rules or format-rules: `{"5": …}` is a new fifth one. */
import type { ToolContext } from '@opencode-ai/plugin'
import { isObject, type Issue } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { ParsedRuleSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { runInTurn } from './call-order.ts'
import type { SessionStates } from './pipeline-state.ts'

// The most rules that the advice names.
const MAX_NUMBERS = 5

/** Advises to send only the rules with issues. Gives no advice on a list of one rule, or on issues about no rule. */
const howToCorrect = (issues: Array<Issue>, rules: Array<unknown>): Array<string> => {
  // The path of an issue about a rule is such as `['rules', 4, 'target']`.
  const indexes = issues.flatMap(({ path: [, index] }) => typeof index === 'number' ? [index] : [])
  if (rules.length < 2 || indexes.length === 0) return []
  const numbers = [...new Set(indexes)].slice(0, MAX_NUMBERS).map((index) => `"${index + 1}": …`)
  return [`Send again only what changes, as "rules", by number: {${numbers.join(', ')}}.`]
}

// An answer may list the faults of many rules, so it may be longer than others.
const MAX_LENGTH = 4_000

/** Creates the answer to rules with issues: the issues, the advice, and how to correct single rules. */
export const formatRuleIssues = (
  issues: Array<Issue>,
  rules: Array<unknown>,
  advice: Array<string> = [],
): string =>
  formatIssues('Schema validation failed:', issues, [...advice, ...howToCorrect(issues, rules)], MAX_LENGTH)

/** Returns the rules of an object such as `{"rules": […]}`, and any other value as it is. */
const rulesIn = (value: unknown): unknown => isObject(value) && 'rules' in value ? value['rules'] : value

/** A new rule for a place in the list that was sent before. `number` counts from 1. */
type Correction = { number: number; rule: unknown }

/** Lists the entries of a value that may be corrections. An entry of `{"5": …}` gets its key as its `index`. */
const entriesOf = (value: unknown): Array<unknown> => {
  if (Array.isArray(value)) return value
  if (!isObject(value) || 'index' in value) return [value]
  return Object.entries(value).map(([index, rule]) => isObject(rule) ? { ...rule, index } : { rule, index })
}

/**
 * Reads the corrections in a value, which has one of these forms:
 *
 *     {"5": …, "7": …}             rules by number
 *     {"index": 5, "target": …}    a rule with its number, or a list of such rules
 *     {"index": 5, "rule": …}      a rule and its number, or a list of such objects
 *
 * Returns `[]` if any entry has no number: then the value is a whole list, or invalid.
 */
const correctionsIn = (value: unknown): Array<Correction> => {
  const entries = entriesOf(value)
  const numbered = entries.filter(isObject).filter(({ index }) => /^-?\d+$/.test(String(index)))
  if (numbered.length < entries.length) return []
  return numbered.map(({ index, ...rest }) => ({
    number: Number(index),
    rule: 'rule' in rest ? rest['rule'] : rest,
  }))
}

/** Puts the properties of a correction into the rule that was sent before, whose unknown properties are dropped. */
const merge = (sentRule: object, correction: object): object => {
  const known = Object.entries(sentRule).filter(([key]) => Object.hasOwn(ParsedRuleSchema.shape, key))
  return { ...Object.fromEntries(known), ...correction }
}

/** Applies corrections to the list that was sent before. Fails if a rule is corrected twice, or does not exist. */
const applyCorrections = (
  sent: Array<unknown>,
  corrections: Array<Correction>,
  tool: string,
): Result<Array<unknown>> => {
  // A model may also number the rules of a whole new list: 1, 2, 3, …, beyond the end of the earlier list.
  const isNewList = corrections.length > sent.length
    && corrections.every(({ number }, index) => number === index + 1)
  const rules = isNewList ? [] : [...sent]
  const correctedNumbers = new Set<number>()
  for (const { number, rule } of corrections) {
    if (correctedNumbers.has(number)) return fail(`Rule ${number} is corrected twice: send it once.`)
    correctedNumbers.add(number)
    if (!isNewList && (number < 1 || number > sent.length)) {
      const wasSent = `${tool} was sent ${pluralize(sent.length, 'rule')} in this session`
      return fail(`There is no rule ${number} to correct: ${wasSent}. Send all rules.`)
    }
    const sentRule = rules[number - 1]
    rules[number - 1] = isObject(rule) && isObject(sentRule) ? merge(sentRule, rule) : rule
  }
  // Only in parse-rules does `null` remove a rule. In format-rules, the model confirms texts by sending the same call
  // again: if it had a `null`, that would remove a second text.
  return ok(tool === 'format-rules' ? rules : rules.filter((rule) => rule !== null))
}

/** Creates the hooks of a tool whose calls may correct single rules. */
export const correctable = (sessions: SessionStates, tool: 'parse-rules' | 'format-rules') => ({
  /** Changes the arguments before they are checked: puts the whole corrected list in place of corrections. */
  prepare: (args: unknown, { sessionID }: ToolContext): Result<unknown> => {
    if (!isObject(args)) return ok(args)
    const { rules: sentValue } = args
    const value = typeof sentValue === 'string' ? parseJson(sentValue).data?.value : sentValue
    const corrections = correctionsIn(rulesIn(value))
    if (corrections.length > 0) {
      const corrected = applyCorrections(sessions.of(sessionID).listToCorrect(tool), corrections, tool)
      return corrected.error === null ? ok({ ...args, rules: { rules: corrected.data } }) : corrected
    }
    // There are no corrections. A parsed text is replaced by its value, so that it need not be parsed again.
    return ok(isObject(value) || Array.isArray(value) ? { ...args, rules: value } : args)
  },
  /** Stores a list that is invalid, so that the next call can correct it; returns advice on how to do so. */
  onInvalid: (args: unknown, { sessionID, messageID }: ToolContext, issues: Array<Issue>) =>
    runInTurn(sessionID, async () => {
      const session = sessions.of(sessionID)
      // `args` are `{"rules": […]}` or `{"rules": {"rules": […]}}`.
      const rules = rulesIn(rulesIn(args))
      if (tool === 'parse-rules') session.storeParseRefused()
      else session.dropTexts()
      if (!Array.isArray(rules)) return []
      session.storeSent(tool, { rules, messageID, isRefused: true })
      return howToCorrect(issues, rules)
    }),
})
