/** The schemas of the arguments with which a model sends parsed rules, formatted rules and the mode. */
import * as z from 'zod'
import { hiddenCharacters } from './text/hidden-characters.ts'

/** How far a rule binds. */
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

const STRENGTH_WORDS =
  `In order: use x; do not use x, avoid x, x only when y (context: unless y); may use x; \
optionally x; ideally x, should, prefer, if possible; x or not; need not use x`

// A strict schema would take twice the time, so `validate.ts` finds unknown keys.
export const ParsedRuleSchema = z.object({
  strength: z.enum(STRENGTHS).describe(STRENGTH_WORDS),
  action: z.string(),
  target: z.string().describe('x, or x instead of y'),
  context: z.string().optional().describe('scope (heading, glob), condition, exception'),
  /** Optional, because a model that must give a reason invents one. */
  reason: z.string().optional().describe('only if the text gives one'),
  source: z.union([z.string(), z.array(z.string())]).optional().describe(
    'exactly the words that its text replaces, copied, or first … last; rules may share one, in order; of a list, it replaces the first, the others go',
  ),
})

export type ParsedRule = z.infer<typeof ParsedRuleSchema>

export const sourcesOf = ({ source = [] }: ParsedRule): Array<string> =>
  [source].flat().filter((text) => !isBlank(text))

const MAX_NUMBER = 1_000
const MAX_CHARACTERS = 4_000

// Without `input`, zod's error would include the whole list of rules.
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
  text: string,
): void => {
  if (text.length <= MAX_CHARACTERS) return
  const limit = `at most ${MAX_CHARACTERS} are accepted`
  addFault(context, path, `rule ${path[0] + 1}: the ${part} has ${text.length} characters, ${limit}`)
}

const ParsedSchema = z.array(ParsedRuleSchema).superRefine((rules, context) => {
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
  example: '{"rules":[{"strength":"forbidden","action":"use","target":"eval","source":"Never use eval."}]}',
})

const BULLET_AND_LABEL = /^(?:[-*+•](?:\s+|$))?(?:\**Rule:\**\s*)?/

/** A formatted rule: `Rule: do not use eval\nReason: unsafe`. */
export const RuleSchema = z.string()
  // In JSON that a model encoded twice, the line break is still a backslash and an `n`.
  .overwrite((rule) => rule.replace(/\\n[ \t]*(?=Reason:)/g, '\n'))
  .refine((rule) => !/^(?:Reason:|$)/.test(rule.trim().replace(BULLET_AND_LABEL, '')), {
    message: 'the rule is empty',
  })

const HIDDEN_MARK = /⟦U\+[0-9A-F]+⟧/

// A model reads hidden characters and a person does not, so they could hide an instruction.
const FormattedRulesSchema = z.array(RuleSchema).superRefine((rules, context) => {
  checkNumber(context, rules.length, 'rules')
  rules.forEach((rule, index) => {
    checkLength(context, [index], 'text', rule)
    const [mark] = HIDDEN_MARK.exec(rule) ?? []
    if (mark !== undefined) {
      const cause = 'which discover-rules shows for a hidden character. Leave the mark out'
      addFault(context, [index], `rule ${index + 1} contains the mark ${mark}, ${cause}`)
    }
    const places = hiddenCharacters(rule, 'rule').slice(0, 5)
      .map(({ codePoint, index: at }) => `${codePoint} at character ${at + 1}`)
    if (places.length === 0) return
    const message = `rule ${index + 1} contains invisible characters. Remove them: ${places.join(', ')}`
    addFault(context, [index], message)
  })
})

/** The argument of format-rules, rewrite-rules and add-rules. */
export const FormatResponseSchema = z.strictObject({ rules: FormattedRulesSchema }).meta({
  example: '{"rules":["Rule: do not use eval in tests\\nReason: unsafe"]}',
})

export const ModeSchema = z.enum(['verbose', 'balanced', 'concise'])

export type Mode = z.infer<typeof ModeSchema>
