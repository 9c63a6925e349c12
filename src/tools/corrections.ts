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
  // The path of an issue is such as `['rules', 4, 'target']`.
  const indexes = issues.flatMap(({ path: [, index] }) => typeof index === 'number' ? [index] : [])
  if (rules.length < 2 || indexes.length === 0) return []
  const numbers = [...new Set(indexes)].slice(0, MAX_RULES_IN_ADVICE).map((index) => `"${index + 1}": …`)
  return [`Send again only what changes, as "rules", by number: {${numbers.join(', ')}}.`]
}

// The issues may be about many rules, so this answer may be longer than others.
const MAX_LENGTH = 4_000

/** Lists the issues of rules, advice, and how to correct single rules. */
export const formatRuleIssues = (
  issues: Array<Issue>,
  rules: Array<unknown>,
  advice: Array<string> = [],
): string =>
  formatIssues('Schema validation failed:', issues, [...advice, ...howToCorrect(issues, rules)], MAX_LENGTH)

const rulesIn = (value: unknown): unknown => isObject(value) && 'rules' in value ? value['rules'] : value

/** A new rule in place of one that was sent before; `number` counts from 1. */
type Correction = { number: number; rule: unknown }

/** Lists what may be corrections; `{"5": …, "7": …}` becomes two objects with the indexes 5 and 7. */
const entriesOf = (value: unknown): Array<unknown> => {
  if (Array.isArray(value)) return value
  if (!isObject(value) || 'index' in value) return [value]
  return Object.entries(value).map(([index, rule]) => isObject(rule) ? { ...rule, index } : { rule, index })
}

/**
 * Reads corrections: `{"5": …}`, `{"index": 5, "target": …}`, `{"index": 5, "rule": …}`, or a list of objects with an
 * `index`. Returns `[]` if one has no number: then the value is a whole list of rules, or invalid.
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

/** Puts the properties of a correction into the rule that was sent before, and drops the unknown ones of that rule. */
const merge = (sentRule: object, correction: object): object => {
  const known = Object.entries(sentRule).filter(([key]) => Object.hasOwn(ParsedRuleSchema.shape, key))
  return { ...Object.fromEntries(known), ...correction }
}

const applyCorrections = (
  sent: Array<unknown>,
  corrections: Array<Correction>,
  tool: string,
): Result<Array<unknown>> => {
  // A model may also number the rules of a whole new list. It is recognized only if it is longer than the earlier one.
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
  // A `null` removes a rule only in parse-rules. In format-rules, the model sends the same call again to confirm texts,
  // and that would remove a second text.
  return ok(tool === 'format-rules' ? rules : rules.filter((rule) => rule !== null))
}

/** Creates the hooks of a tool whose calls may correct single rules. */
export const correctable = (sessions: SessionStates, tool: 'parse-rules' | 'format-rules') => ({
  /** Puts the whole corrected list in place of corrections. */
  prepare: (args: unknown, { sessionID }: ToolContext): Result<unknown> => {
    if (!isObject(args)) return ok(args)
    const { rules: sentValue } = args
    const value = typeof sentValue === 'string' ? parseJson(sentValue).data?.value : sentValue
    const corrections = correctionsIn(rulesIn(value))
    if (corrections.length > 0) {
      const corrected = applyCorrections(sessions.of(sessionID).listToCorrect(tool), corrections, tool)
      return corrected.error === null ? ok({ ...args, rules: { rules: corrected.data } }) : corrected
    }
    // A list that was sent as text is passed on as parsed, so that it is parsed only once.
    return ok(isObject(value) || Array.isArray(value) ? { ...args, rules: value } : args)
  },
  /** Stores an invalid list, so that the next call can correct it; returns advice on how to do so. */
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
