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
  return [`Send again only what changes, as "rules", by number: {${entries.join(', ')}}.`]
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

/** Unwraps `{"rules": x}` to `x`; returns any other value unchanged. */
const rulesIn = (value: unknown): unknown => isObject(value) && 'rules' in value ? value['rules'] : value

/** A new rule, or some new properties, for the rule with this number; numbers count from 1. */
type Correction = { number: number; rule: unknown }

/** Lists what may be corrections; `{"5": {"target": …}}` becomes `[{"target": …, "index": "5"}]`. */
const entriesOf = (value: unknown): Array<unknown> => {
  if (Array.isArray(value)) return value
  if (!isObject(value) || 'index' in value) return [value]
  return Object.entries(value).map(([index, rule]) => isObject(rule) ? { ...rule, index } : { rule, index })
}

/**
 * Reads corrections of rule 5: `{"5": …}`, `{"index": 5, "target": …}` or `{"index": 5, "rule": …}`, or a list of
 * objects with an `index`. Returns `[]` if any lacks a number: the value is then a whole list of rules, or invalid.
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

/** Merges a correction into the earlier rule, of which only the properties in the schema are kept. */
const merge = (sentRule: object, correction: object): object => {
  const known = Object.entries(sentRule).filter(([key]) => Object.hasOwn(ParsedRuleSchema.shape, key))
  return { ...Object.fromEntries(known), ...correction }
}

/** Returns the whole corrected list, in which a rule corrected to `null` is still an item. */
const applyCorrections = (
  sent: Array<unknown>,
  corrections: Array<Correction>,
  tool: string,
): Result<Array<unknown>> => {
  // A model may number a whole new list from 1, without gaps; it is recognized if it is longer than the earlier one.
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
    const sentRule = sent[number - 1]
    rules[number - 1] = isObject(rule) && isObject(sentRule) ? merge(sentRule, rule) : rule
  }
  return ok(rules)
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
      if (corrected.error !== null) return corrected
      // In format-rules, the model repeats a call to confirm texts. If a `null` removed a text, the later numbers would
      // move up, and the repeated `null` would remove another text.
      const rules = tool === 'format-rules' ? corrected.data : corrected.data.filter((rule) => rule !== null)
      return ok({ ...args, rules: { rules } })
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
