import * as z from 'zod'
import { hiddenCharacters } from './hidden-characters.ts'

/** The seven deontic strengths (sat-spec.md, parse-rules). */
export const STRENGTHS = [
  'obligatory',
  'forbidden',
  'permissible',
  'optional',
  'supererogatory',
  'indifferent',
  'omissible',
] as const

const words = (what: string) =>
  z.string().refine((text) => text.trim() !== '', { message: `${what} is empty` })

export const ParsedRuleSchema = z.object({
  strength: z.enum(STRENGTHS),
  action: words('the action'),
  target: words('the target'),
  context: z.string().optional(),
  reason: z.string(),
})

export type ParsedRule = z.infer<typeof ParsedRuleSchema>

/** The raw array of parsed rules. */
export const ParsedSchema = z.array(ParsedRuleSchema)

/** What parse-rules validates. */
export const ParseResponseSchema = z.object({ rules: ParsedSchema })

/** One formatted rule, as it will stand in the file. */
export const RuleSchema = words('the rule')

// Instruction files are a known way to plant orders that only a model sees.
const withoutHidden = z.array(RuleSchema).superRefine((rules, context) => {
  rules.forEach((rule, index) => {
    const hidden = hiddenCharacters(rule, 'rule')
    if (hidden.length === 0) return
    const places = hidden.slice(0, 5).map((one) => `${one.codePoint} at character ${one.index + 1}`).join(
      ', ',
    )
    const message = `rule ${index + 1} holds invisible characters, remove them: ${places}`
    context.addIssue({ code: 'custom', path: [index], message })
  })
})

/** What format-rules, rewrite-rules and add-rules validate. */
export const FormatResponseSchema = z.object({ rules: withoutHidden })

export const MODES = ['verbose', 'balanced', 'concise'] as const

/** verbose: a reason for every rule; balanced: where it helps; concise: one bullet a rule (sat-spec.md). */
export const ModeSchema = z.enum(MODES)

export type Mode = z.infer<typeof ModeSchema>

export const parseSchemaExample =
  '{"rules":[{"strength":"forbidden","action":"use","target":"non-null assertions","reason":"Use narrowing type guards instead."}]}'

export const formatSchemaExample =
  '{"rules":["Rule: do not use non-null assertions\\nReason: Use narrowing type guards instead."]}'
