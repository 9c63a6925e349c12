import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { reasonOf } from '../safe.ts'
import { formatValidationError, toIssues, validateJson, validateValue } from '../validate.ts'
import { PermissionRefused } from './door.ts'

/** What a tool gives: a short title for the person's screen, and the text that the model reads. */
export type ToolAnswer = { title: string; output: string; metadata: Record<string, unknown> }

/** An answer from its title and text. */
export const answer = (
  title: string,
  output: string,
  metadata: Record<string, unknown> = {},
): ToolAnswer => ({
  title,
  output,
  metadata,
})

/**
 * An argument that the model sends as JSON text and that `execute` gets as checked data.
 *
 * @param schema what the JSON must match
 * @param description what the model reads about it
 */
export const json = <S extends z.ZodType>(schema: S, description: string) => {
  const argument = z.unknown().transform((value, context) => checkJson(value, schema, context))
  return shownAsText(argument.describe(description), description)
}

/** The data that JSON stands for; its faults become those of the argument. */
const checkJson = <S extends z.ZodType>(
  value: unknown,
  schema: S,
  context: z.core.$RefinementCtx,
): z.output<S> => {
  const checked = validateJson(value, schema)
  if (checked.error === null) return checked.data
  context.addIssue({ code: 'custom', params: { issues: toIssues(checked) } })
  return z.NEVER
}

// The model is shown the text that it sends, not the data that comes of it.
const shownAsText = <S extends z.ZodType>(argument: S, description: string): S => {
  argument._zod.toJSONSchema = () => ({ type: 'string', description })
  return argument
}

// A list or a text as JSON, which models send where a path is asked for; `[slug].md` is a path.
const JSON_TEXT = /^\s*(?:\[\s*["'\]]|")/

const pathText = <S extends z.ZodType<string | Array<string>>>(schema: S) =>
  schema.transform((value, context): z.output<S> =>
    typeof value === 'string' && JSON_TEXT.test(value) ? checkJson(value, schema, context) : value
  )

/** Paths: text with commas between them, or a list whose entries are paths as they stand. */
export const paths = (description: string) =>
  shownAsText(
    pathText(z.union([z.string(), z.array(z.string())])).describe(description),
    description,
  )

/** One path; a list of one is taken for it. */
export const path = (description: string) =>
  shownAsText(
    pathText(z.union([z.string(), z.tuple([z.string()])]))
      .transform((value) => typeof value === 'string' ? value : value[0])
      .describe(description),
    description,
  )

/**
 * Makes a tool whose one schema does everything (schema-tools.md): it types `execute`, it is the JSON Schema
 * that the model sees, and it is enforced before `execute` runs, for the host checks nothing.
 *
 * Bad arguments come back as one answer that names every fault by its path.
 */
export const defineTool = <Args extends z.ZodRawShape>(definition: {
  description: string
  args: Args
  execute(args: z.output<z.ZodObject<Args, z.core.$strict>>, context: ToolContext): Promise<ToolAnswer>
  /** Told when bad arguments were answered in place of `execute`. */
  onInvalid?(context: ToolContext): void
}): ToolDefinition => {
  const schema = z.strictObject(definition.args)
  return {
    description: definition.description,
    args: definition.args,
    async execute(args: unknown, context) {
      const checked = validateValue(args ?? {}, schema)
      if (checked.error !== null) {
        definition.onInvalid?.(context)
        return answer('invalid arguments', formatValidationError(checked))
      }
      try {
        return await definition.execute(checked.data, context)
      } catch (thrown) {
        if (thrown instanceof PermissionRefused) throw thrown.cause
        return answer('failed', `The tool failed: ${reasonOf(thrown)}`)
      }
    },
  }
}

/** `1 file`, `3 files`. */
export const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`
