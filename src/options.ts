import * as z from 'zod'
import { describeValue, isObject, type Issue, issuesOf, unknownKey } from './schema-issues.ts'

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
    .meta({
      description: 'Rule files sent to each session; directories adds folders to look in. false: off.',
      examples: [false, { directories: ['docs/rules'] }],
    })
    .optional(),
  debug: z.boolean()
    .meta({
      description: "Whether discovered rules are named in the host's log.",
      default: false,
      examples: [true],
    })
    .optional(),
})

export type Options = z.infer<typeof OptionsSchema>

type Name = keyof typeof OptionsSchema.shape

/** The form of an option that a value is held to: where several are possible, an object to the one that is one. */
const formOf = (name: Name, value: unknown): z.core.$ZodType => {
  const schema = OptionsSchema.shape[name].unwrap()
  if (!(schema instanceof z.ZodUnion) || !isObject(value)) return schema
  return schema.options.find((form) => !(form instanceof z.ZodLiteral)) ?? schema
}

const faultsOf = (name: Name, value: unknown): Array<Issue> => {
  const form = formOf(name, value)
  const checked = z.safeParse(form, value)
  if (checked.success) return []
  if (!(form instanceof z.ZodUnion)) {
    return issuesOf(checked.error, form, value).map(({ path, message }) => ({
      path: [name, ...path],
      message,
    }))
  }
  const message = `expected false or an object, got ${describeValue(value)}. ${form.description ?? ''}`
  return [{ path: [name], message }]
}

/** An option without what is wrong in it, one level deep: a bad command leaves the others, a bad name the rest. */
const withoutFaults = (value: unknown, faults: Array<Issue>): unknown => {
  const wrong = new Set(faults.map(({ path }) => path[1]))
  if (!isObject(value) || wrong.has(undefined)) return undefined
  const rest = Object.entries(value).filter(([key]) => !wrong.has(key))
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

const isName = (name: string): name is Name => Object.hasOwn(OptionsSchema.shape, name)

const toText = ({ path, message }: Issue): string => `${path.join('.')}: ${message}`

/**
 * Reads the options, each on its own: what is wrong is left out and named by its path in `faults`, the rest holds.
 */
export const readOptions = (given: unknown): { options: Options; faults: Array<string> } => {
  if (given === undefined || given === null) return { options: {}, faults: [] }
  if (!isObject(given)) {
    return { options: {}, faults: [`options: expected an object, got ${describeValue(given)}`] }
  }
  const faults: Array<string> = []
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (isName(name)) {
      const wrong = faultsOf(name, value)
      kept[name] = wrong.length === 0 ? value : withoutFaults(value, wrong)
      faults.push(...wrong.map(toText))
    } else {
      faults.push(toText({ path: [name], message: unknownKey(name, Object.keys(OptionsSchema.shape)) }))
    }
  }
  const read = OptionsSchema.safeParse(kept)
  return { options: read.success ? read.data : {}, faults }
}
