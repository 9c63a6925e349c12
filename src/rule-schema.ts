/** The schemas of the tools for rules: rules that a model parsed from a text, formatted rules, and the mode. */
import * as z from 'zod'
import { hiddenCharacters } from './text/hidden-characters.ts'

/** The seven deontic strengths: how far a rule binds. */
export const STRENGTHS = [
  'obligatory',
  'forbidden',
  'permissible',
  'optional',
  'supererogatory',
  'indifferent',
  'omissible',
] as const

const isBlank = (text: string): boolean => !/\S/.test(text)

/** An example argument of parse-rules, for the answers to invalid ones. */
export const parseSchemaExample =
  '{"rules":[{"strength":"forbidden","action":"use","target":"eval","source":"Never use eval."}]}'

/** An example argument of format-rules, for the answers to invalid ones. */
export const formatSchemaExample = '{"rules":["Rule: do not use eval in tests\\nReason: unsafe"]}'

/** The usual words for each strength, in the order of `STRENGTHS`. A model reads this. */
const STRENGTH_WORDS =
  `In order: use x; do not use x, avoid x, x only when y (context: unless y); may use x; \
optionally x; ideally x, should, prefer, if possible; x or not; need not use x`

/** One parsed rule. A model reads the descriptions. */
// For speed, the schema is not strict, because zod's check for unknown keys doubles the time: `validate.ts` finds them
// by counting. For speed, too, `ParsedSchema` checks the texts, those of all rules at once.
export const ParsedRuleSchema = z.object({
  strength: z.enum(STRENGTHS).describe(STRENGTH_WORDS),
  action: z.string(),
  target: z.string().describe('x, or x instead of y'),
  context: z.string().optional().describe('scope (heading, glob), condition, exception'),
  /** Optional, because a model that must give a reason invents one. */
  reason: z.string().optional().describe('only as the text has it'),
  source: z.union([z.string(), z.array(z.string())]).optional().describe(
    'exactly the words that its text replaces, copied, or first … last; rules may share one, in order; a list: text at the first, the others go',
  ),
})

/** A rule that the model parsed from a text. */
export type ParsedRule = z.infer<typeof ParsedRuleSchema>

/** Lists the sources of a rule, without blank ones. */
export const sourcesOf = ({ source = [] }: ParsedRule): Array<string> =>
  [source].flat().filter((text) => !isBlank(text))

// The maximum numbers of rules in a call, of sources in a call, and of characters in each text limit the work.
const MAX_NUMBER = 1_000
const MAX_CHARACTERS = 4_000

// Sets an empty `input`. By default, each issue would hold the whole list, and zod's error would print all of them.
const addFault = (context: z.RefinementCtx, path: Array<PropertyKey>, message: string): void =>
  context.addIssue({ code: 'custom', path, message, input: '' })

const checkNumber = (context: z.RefinementCtx, number: number, noun: 'rules' | 'sources'): void => {
  if (number <= MAX_NUMBER) return
  addFault(context, [], `${number} ${noun} are too many: send at most ${MAX_NUMBER} in a call`)
}

const checkLength = (
  context: z.RefinementCtx,
  path: [index: number, ...PropertyKey[]],
  part: string,
  { length }: string,
): void => {
  if (length <= MAX_CHARACTERS) return
  const limit = `at most ${MAX_CHARACTERS} are accepted`
  addFault(context, path, `rule ${path[0] + 1}: the ${part} has ${length} characters, ${limit}`)
}

/** A list of parsed rules. */
export const ParsedSchema = z.array(ParsedRuleSchema).superRefine((rules, context) => {
  checkNumber(context, rules.length, 'rules')
  rules.forEach((rule, index) => {
    for (const part of ['action', 'target'] as const) {
      if (isBlank(rule[part])) addFault(context, [index, part], `rule ${index + 1}: the ${part} is empty`)
    }
    for (const part of ['action', 'target', 'context', 'reason', 'source'] as const) {
      for (const text of [rule[part] ?? []].flat()) checkLength(context, [index, part], part, text)
    }
  })
  checkNumber(context, rules.flatMap(sourcesOf).length, 'sources')
})

/** The argument of parse-rules. */
export const ParseResponseSchema = z.strictObject({ rules: ParsedSchema }).meta({
  example: parseSchemaExample,
})

// A list marker and a label before the text of a rule: `- **Rule:** `.
const MARKER_AND_LABEL = /^(?:[-*+•](?:\s+|$))?(?:\**Rule:\**\s*)?/

/** One formatted rule, as it will be written to the file. */
export const RuleSchema = z.string()
  // If a model encoded the JSON twice, the line break before the reason is still an escape.
  .overwrite((rule) => rule.replace(/\\n[ \t]*(?=Reason:)/g, '\n'))
  .refine((rule) => !/^(?:Reason:|$)/.test(rule.trim().replace(MARKER_AND_LABEL, '')), {
    message: 'the rule is empty',
  })

// Hidden characters are refused, because they can put instructions into a file that a model sees and a person does not.
const FormattedRulesSchema = z.array(RuleSchema).superRefine((rules, context) => {
  checkNumber(context, rules.length, 'rules')
  rules.forEach((rule, index) => {
    checkLength(context, [index], 'text', rule)
    const places = hiddenCharacters(rule, 'rule').slice(0, 5)
      .map(({ codePoint, index: at }) => `${codePoint} at character ${at + 1}`)
    if (places.length === 0) return
    const message = `rule ${index + 1} contains invisible characters, remove them: ${places.join(', ')}`
    addFault(context, [index], message)
  })
})

/** The argument of format-rules, rewrite-rules and add-rules. */
export const FormatResponseSchema = z.strictObject({ rules: FormattedRulesSchema })
  .meta({ example: formatSchemaExample })

export const MODES = ['verbose', 'balanced', 'concise'] as const

/** `verbose`: a reason for every rule; `balanced`: a reason where it helps; `concise`: one bullet for every rule. */
export const ModeSchema = z.enum(MODES)

/** The mode in which rules are written. */
export type Mode = z.infer<typeof ModeSchema>
