/** The schemas of the rules pipeline: parsed rules, formatted rules, the mode. */
import * as z from 'zod'
import { hiddenCharacters } from './text/hidden-characters.ts'

/** The seven deontic strengths. */
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

/** The shortest valid argument of parse-rules, for answers. */
export const parseSchemaExample =
  '{"rules":[{"strength":"forbidden","action":"use","target":"eval","source":"Never use eval."}]}'

/** The shortest valid argument of format-rules. */
export const formatSchemaExample = '{"rules":["Rule: do not use eval in tests\\nReason: unsafe"]}'

/** The wording of each strength, in order, and other wordings with the same meaning. */
const STRENGTH_WORDS =
  `In order: use x; do not use x, avoid x, x only when y (context: unless y); may use x; \
optionally x; ideally x, should, prefer, if possible; x or not; need not use x`

/** One parsed rule. A model reads the descriptions. */
// Not strict, for speed: zod's check for unknown keys doubles the time, so validate.ts detects unknown keys by counting
// keys. For the same reason, empty texts are checked for the whole list at once, in `ParsedSchema`.
export const ParsedRuleSchema = z.object({
  strength: z.enum(STRENGTHS).describe(STRENGTH_WORDS),
  action: z.string(),
  target: z.string().describe('x, or x instead of y'),
  context: z.string().optional().describe('scope (heading, glob), condition, exception'),
  /** Optional, and may be empty: a model that must give a reason invents one. */
  reason: z.string().optional().describe('only as the text has it'),
  source: z.union([z.string(), z.array(z.string())]).optional().describe(
    'exactly the words that its text replaces, copied, or first … last; rules may share one, in order; a list: text at the first, the others go',
  ),
})

/** A rule that the model parsed from a text: the strength, the action, its target, the context, the reason and the source. */
export type ParsedRule = z.infer<typeof ParsedRuleSchema>

/** Lists the sources of a rule, without blank ones. */
export const sourcesOf = ({ source = [] }: ParsedRule): Array<string> =>
  [source].flat().filter((text) => !isBlank(text))

// Limits, because the work grows with the number and length of rules.
const MAX_RULES = 1_000
const MAX_SOURCES = 1_000
const MAX_CHARACTERS = 4_000

// Sets an empty `input`: by default each issue would hold the whole list, and zod's error would print the list for each.
const addFault = (context: z.RefinementCtx, path: Array<PropertyKey>, message: string): void =>
  context.addIssue({ code: 'custom', path, message, input: '' })

const checkNumber = (context: z.RefinementCtx, rules: Array<unknown>): void => {
  if (rules.length > MAX_RULES) {
    addFault(context, [], `${rules.length} rules are too many: send at most ${MAX_RULES} in a call`)
  }
}

const checkLength = (
  context: z.RefinementCtx,
  path: [index: number, ...PropertyKey[]],
  text: string,
  part: string,
): void => {
  if (text.length <= MAX_CHARACTERS) return
  addFault(
    context,
    path,
    `rule ${path[0] + 1}: the ${part} has ${text.length} characters, at most ${MAX_CHARACTERS} are accepted`,
  )
}

/** The parsed rules. */
export const ParsedSchema = z.array(ParsedRuleSchema).superRefine((rules, context) => {
  checkNumber(context, rules)
  let sources = 0
  rules.forEach((rule, index) => {
    for (const part of ['action', 'target'] as const) {
      if (isBlank(rule[part])) addFault(context, [index, part], `rule ${index + 1}: the ${part} is empty`)
    }
    for (const part of ['action', 'target', 'context', 'reason'] as const) {
      checkLength(context, [index, part], rule[part] ?? '', part)
    }
    for (const source of [rule.source ?? []].flat()) checkLength(context, [index, 'source'], source, 'source')
    sources += sourcesOf(rule).length
  })
  if (sources > MAX_SOURCES) {
    addFault(context, [], `${sources} sources are too many: send at most ${MAX_SOURCES} in a call`)
  }
})

/** The argument of parse-rules. */
export const ParseResponseSchema = z.strictObject({ rules: ParsedSchema }).meta({
  example: parseSchemaExample,
})

// A list marker and the label before the text of a rule.
const MARKER_AND_LABEL = /^(?:[-*+•](?:\s+|$))?(?:\**Rule:\**\s*)?/

/** One formatted rule, as it will be written to the file. */
export const RuleSchema = z.string()
  // In JSON that was encoded twice, the line break before the reason is still an escape.
  .overwrite((rule) => rule.replace(/\\n[ \t]*(?=Reason:)/g, '\n'))
  .refine((rule) => !/^(?:Reason:|$)/.test(rule.trim().replace(MARKER_AND_LABEL, '')), {
    message: 'the rule is empty',
  })

// Hidden characters are refused, because they can hide instructions in a file that only a model sees.
const FormattedRulesSchema = z.array(RuleSchema).superRefine((rules, context) => {
  checkNumber(context, rules)
  rules.forEach((rule, index) => {
    checkLength(context, [index], rule, 'text')
    const hidden = hiddenCharacters(rule, 'rule')
    if (hidden.length === 0) return
    const places = hidden.slice(0, 5).map((found) => `${found.codePoint} at character ${found.index + 1}`)
    const message = `rule ${index + 1} contains invisible characters, remove them: ${places.join(', ')}`
    context.addIssue({ code: 'custom', path: [index], message, input: rule })
  })
})

/** The argument of format-rules, rewrite-rules and add-rules. */
export const FormatResponseSchema = z.strictObject({ rules: FormattedRulesSchema })
  .meta({ example: formatSchemaExample })

/** The names of the modes. */
export const MODES = ['verbose', 'balanced', 'concise'] as const

/** verbose: a reason for every rule; balanced: where it helps; concise: one bullet per rule. */
export const ModeSchema = z.enum(MODES)

/** The mode in which rules are written. */
export type Mode = z.infer<typeof ModeSchema>
