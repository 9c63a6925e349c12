/** Lets the model correct single rules of the list that it last sent to parse-rules or format-rules. */
import type { ToolContext } from '@opencode-ai/plugin'
import { isObject, type Issue } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { ParsedRuleSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { runInTurn } from './call-order.ts'
import type { PipelineState } from './pipeline-state.ts'

const MAX_NUMBERS = 5

/** Describes how to correct single rules with issues; `[]` if fewer than two were sent, or no issue is about a rule. */
const howToCorrect = (issues: Array<Issue>, rules: Array<unknown>): Array<string> => {
  const indexes = issues.flatMap(({ path: [, index] }) => typeof index === 'number' ? [index] : [])
  if (rules.length < 2 || indexes.length === 0) return []
  const numbers = [...new Set(indexes)].slice(0, MAX_NUMBERS).map((index) => `"${index + 1}": …`)
  return [`Send again only what changes, as "rules", by number: {${numbers.join(', ')}}.`]
}

// An answer may list the faults of many rules, so it may be longer than others.
const MAX_LENGTH = 4_000

/** Formats the answer to rules with issues, with advice on how to correct single rules. */
export const formatRuleIssues = (
  issues: Array<Issue>,
  rules: Array<unknown>,
  advice: Array<string> = [],
): string =>
  formatIssues('Schema validation failed:', issues, [...advice, ...howToCorrect(issues, rules)], MAX_LENGTH)

/** Returns the rules of an object such as `{"rules": […]}`, and any other value as it is. */
const rulesIn = (value: unknown): unknown => isObject(value) && 'rules' in value ? value['rules'] : value

/** A rule to put into the list that was sent before. `number` counts from 1. */
type Correction = { number: number; rule: unknown }

/**
 * Reads corrections, which number rules from 1: an object such as `{"5": …}`, or one or more objects with an `index`.
 * Such an object is the rule itself, `{"index": 5, "target": …}`, or contains it, `{"index": 5, "rule": …}`. Returns
 * `[]` if any entry is something else: then the value is a whole list, or invalid.
 */
const correctionsIn = (value: unknown): Array<Correction> => {
  const isByNumber = isObject(value) && !('index' in value)
  const list: Array<unknown> = isByNumber
    ? Object.entries(value).map(([index, rule]) => isObject(rule) ? { ...rule, index } : { rule, index })
    : [value].flat()
  const numbered = list.filter(isObject).filter(({ index }) => /^-?\d+$/.test(String(index)))
  if (numbered.length < list.length) return []
  return numbered.map(({ index, ...rest }) => ({
    number: Number(index),
    rule: 'rule' in rest ? rest['rule'] : rest,
  }))
}

/** Merges a correction into a rule that was sent before. Drops unknown properties of that rule. */
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
  // Rules that are numbered 1, 2, 3, … and are more than the earlier list has are no corrections, but a new list.
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
  // `null` removes a rule only for parse-rules. For format-rules, a model confirms texts by sending the same call
  // again: a `null` in it would then remove a second text.
  return ok(tool === 'format-rules' ? rules : rules.filter((rule) => rule !== null))
}

/**
 * Creates the hooks of a tool whose calls may correct single rules: `prepare` applies the corrections to the list that
 * was sent before, `onInvalid` stores a refused list and says how to correct it.
 */
export const correctable = (sessions: PipelineState, tool: 'parse-rules' | 'format-rules') => ({
  prepare: (args: unknown, { sessionID }: ToolContext): Result<unknown> => {
    if (!isObject(args)) return ok(args)
    const { rules: rulesAsSent } = args
    const value = typeof rulesAsSent === 'string' ? parseJson(rulesAsSent).data?.value : rulesAsSent
    const corrections = correctionsIn(rulesIn(value))
    if (corrections.length > 0) {
      const corrected = applyCorrections(sessions.of(sessionID).listToCorrect(tool), corrections, tool)
      return corrected.error === null ? ok({ ...args, rules: { rules: corrected.data } }) : corrected
    }
    // The parsed value replaces the text, because it would take long to parse the text again.
    return ok(isObject(value) || Array.isArray(value) ? { ...args, rules: value } : args)
  },
  onInvalid: (args: unknown, { sessionID, messageID }: ToolContext, issues: Array<Issue>) =>
    runInTurn(sessionID, async () => {
      const session = sessions.of(sessionID)
      // The argument `rules` may be a list, or an object with one.
      const rules = rulesIn(rulesIn(args))
      if (tool === 'parse-rules') session.refuseParsed()
      else session.refuseTexts()
      if (!Array.isArray(rules)) return []
      session.storeSent(tool, { rules, messageID, isRefused: true })
      return howToCorrect(issues, rules)
    }),
})
