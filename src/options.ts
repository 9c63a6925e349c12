import { z } from 'zod'
import { issuesOf } from './schema-issues.ts'

/** The options of the plugin's entry in `opencode.json`: `["opencode-sat", {…}]` (spec.md, Options). */
export const OptionsSchema = z.strictObject({
  format_on_save: z
    .union([z.literal(false), z.record(z.string(), z.string().trim().min(1))])
    .describe(
      'Glob → command that formats a file the agent wrote; {path} or $FILE stands for the file. false: off.',
    )
    .optional(),
  rules: z
    .union([z.literal(false), z.strictObject({ directories: z.array(z.string()).optional() })])
    .describe('Rule files sent to each session; directories adds folders to look in. false: off.')
    .optional(),
  debug: z.boolean().describe("Whether discovered rules are named in the host's log.").optional(),
})

export type Options = z.infer<typeof OptionsSchema>

/**
 * Reads the options, each on its own: one that is wrong is left out and named by its path in `faults`, the others
 * hold.
 */
export const readOptions = (given: unknown): { options: Options; faults: Array<string> } => {
  const checked = OptionsSchema.safeParse(given ?? {})
  if (checked.success) return { options: checked.data, faults: [] }
  const faults = issuesOf(checked.error, OptionsSchema, given)
    .map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`)
  const wrong = new Set(checked.error.issues.map(({ path }) => path[0]))
  const entries = Object.entries(Object(given)).filter(([name]) =>
    !wrong.has(name) && name in OptionsSchema.shape
  )
  const rest = OptionsSchema.safeParse(Object.fromEntries(entries))
  return { options: rest.success ? rest.data : {}, faults }
}
