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

/** A valid argument of parse-rules, as short as can be, for answers. */
export const parseSchemaExample =
  '{"rules":[{"strength":"forbidden","action":"use","target":"eval","source":"Never use eval."}]}'

/** A valid argument of format-rules, as short as can be. */
export const formatSchemaExample = '{"rules":["Rule: do not use eval in tests\\nReason: unsafe"]}'

/** How each strength is worded, in their order, and what else in a text means it. */
const STRENGTH_WORDS =
  `In order: use x; do not use x, avoid x, x only when y (context: unless y); may use x; \
optionally x; ideally x, should, prefer, if possible; x or not; need not use x`

/** One parsed rule, with what a model reads of it. */
// Not strict, for speed: zod's check for unknown keys doubles the time. validate.ts detects unknown keys by their
// number; empty texts are checked in the whole list at once for the same reason.
export const ParsedRuleSchema = z.object({
  strength: z.enum(STRENGTHS).describe(STRENGTH_WORDS),
  action: z.string(),
  target: z.string().describe('x, or x instead of y'),
  context: z.string().optional().describe('scope (heading, glob), condition, exception'),
  /** Optional, and may be empty: a model that has to give a reason makes one up. */
  reason: z.string().optional().describe('only as the text has it'),
  source: z.union([z.string(), z.array(z.string())]).optional().describe(
    'exactly the words that its text replaces, copied, or first … last; rules may share one, in order; a list: text at the first, the others go',
  ),
})

/** A rule that the model read in a text: what is done to what, when, why, and how binding it is. */
export type ParsedRule = z.infer<typeof ParsedRuleSchema>

/** Lists the sources of a rule; blank ones are none. */
export const sourcesOf = ({ source = [] }: ParsedRule): Array<string> =>
  [source].flat().filter((one) => !isBlank(one))

// Work on rules grows with these.
const MAX_RULES = 1_000
const MAX_SOURCES = 1_000
const MAX_CHARACTERS = 4_000

type Context = {
  addIssue(issue: { code: 'custom'; path: Array<PropertyKey>; message: string; input: unknown }): void
}

// Without its own input each issue would have the whole list, which zod's error then writes out for each.
const addFault = (context: Context, path: Array<PropertyKey>, message: string): void =>
  context.addIssue({ code: 'custom', path, message, input: '' })

const checkNumber = (context: Context, rules: Array<unknown>): void => {
  if (rules.length > MAX_RULES) {
    addFault(context, [], `${rules.length} rules are too many: send at most ${MAX_RULES} in a call`)
  }
}

const checkLength = (
  context: Context,
  path: [index: number, ...PropertyKey[]],
  text: string,
  what: string,
): void => {
  if (text.length <= MAX_CHARACTERS) return
  addFault(
    context,
    path,
    `rule ${path[0] + 1}: the ${what} has ${text.length} characters, at most ${MAX_CHARACTERS} are taken`,
  )
}

/** The raw array of parsed rules. */
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

/** What parse-rules validates. */
export const ParseResponseSchema = z.strictObject({ rules: ParsedSchema }).meta({
  example: parseSchemaExample,
})

// The marker and the label before the words of a rule.
const SENT_WITH = /^(?:[-*+•](?:\s+|$))?(?:\**Rule:\**\s*)?/

/** One formatted rule, as it will stand in the file. */
export const RuleSchema = z.string()
  // JSON that was encoded twice.
  .overwrite((rule) => rule.replace(/\\n[ \t]*(?=Reason:)/g, '\n'))
  .refine((rule) => !/^(?:Reason:|$)/.test(rule.trim().replace(SENT_WITH, '')), {
    message: 'the rule is empty',
  })

// Instruction files are a known way to hide orders that only a model sees.
const withoutHidden = z.array(RuleSchema).superRefine((rules, context) => {
  checkNumber(context, rules)
  rules.forEach((rule, index) => {
    checkLength(context, [index], rule, 'text')
    const hidden = hiddenCharacters(rule, 'rule')
    if (hidden.length === 0) return
    const places = hidden.slice(0, 5).map((one) => `${one.codePoint} at character ${one.index + 1}`).join(
      ', ',
    )
    const message = `rule ${index + 1} holds invisible characters, remove them: ${places}`
    context.addIssue({ code: 'custom', path: [index], message, input: rule })
  })
})

/** What format-rules, rewrite-rules and add-rules validate. */
export const FormatResponseSchema = z.strictObject({ rules: withoutHidden })
  .meta({ example: formatSchemaExample })

/** The names of the modes. */
export const MODES = ['verbose', 'balanced', 'concise'] as const

/** verbose: a reason for every rule; balanced: where it helps; concise: one bullet a rule. */
export const ModeSchema = z.enum(MODES)

/** How rules are written. */
export type Mode = z.infer<typeof ModeSchema>
