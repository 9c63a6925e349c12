import * as z from 'zod'
import { whyCostly } from '../instructions/glob-limits.ts'
import {
  defOf,
  describeValue,
  isObject,
  type Issue,
  toIssue,
  unknownKey,
  unknownKeyIssues,
  wordsOf,
} from '../json/issues.ts'

const Words = z.string().trim().min(1, 'it is empty')

const WhenSchema = z.enum(['save', 'turn'])

/** When a formatter runs: after each call that wrote a file, or once when the turn is over. */
export type When = z.infer<typeof WhenSchema>

const CommandSchema = z.strictObject({
  command: Words.meta({
    description:
      "{path} or $FILE stands for the file's path; without either it is put at the end of a command that names no folder.",
    examples: ['prettier --write {path}', 'cargo fmt'],
  }),
  ok: z.array(z.int())
    .meta({
      description: 'Exits after which what the command did is kept; after any other it is taken back.',
      default: [0],
      examples: [[0, 1]],
    })
    .optional(),
  when: WhenSchema
    .meta({
      description:
        'save: after each call that wrote a matching file. turn: once for each file when the session goes idle.',
      default: 'save',
      examples: ['turn'],
    })
    .optional(),
})

const FormatOnSaveSchema = z
  .object({
    when: WhenSchema
      .meta({ description: 'When all commands run that do not say it.', default: 'save', examples: ['turn'] })
      .optional(),
  })
  .catchall(z.union([Words, CommandSchema]))
  .superRefine((commands, context) => {
    for (const glob of Object.keys(commands)) {
      // People write `*.+(ts|tsx)`, whose choices are short.
      const message = whyCostly(glob.replaceAll('+(', '@('))
      if (message !== null) context.addIssue({ code: 'custom', path: [glob], message, input: glob })
    }
  })

/** The option `format_on_save`: glob → command, and when the commands run. The first glob that matches a file wins. */
export type FormatOnSaveOption = z.infer<typeof FormatOnSaveSchema>

/** The options of the plugin's entry in `opencode.json`: `["opencode-sat", {…}]` (spec.md, Options). */
export const OptionsSchema = z.strictObject({
  format_on_save: z
    .union([z.literal(false), FormatOnSaveSchema])
    .meta({
      description: 'Glob → command that formats a file the agent wrote. false: off.',
      examples: [
        false,
        { '*.ts': 'prettier --write {path}', '*.rs': 'cargo fmt' },
        { '*.js': { command: 'eslint --fix {path}', ok: [0, 1] } },
        { when: 'turn', '*.ts': 'organize-imports {path}' },
      ],
    })
    .optional(),
  rules: z
    .union([z.literal(false), z.strictObject({ directories: z.array(Words).optional() })])
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

/** The options as they are after the check; one that was left out is undefined. */
export type Options = z.infer<typeof OptionsSchema>

type Name = keyof typeof OptionsSchema.shape

/** Gives the schema that a value of an option is checked against. For an object it is not the one for `false`. */
const formOf = (name: Name, value: unknown): z.core.$ZodType => {
  const schema = OptionsSchema.shape[name].unwrap()
  if (!(schema instanceof z.ZodUnion) || !isObject(value)) return schema
  return schema.options.find((form) => !(form instanceof z.ZodLiteral)) ?? schema
}

/** Gives the keys that an object at `path` may have: name → schema. */
const shapeAt = (schema: z.core.$ZodType, path: Array<PropertyKey>): z.core.$ZodShape => {
  const def = defOf(schema)
  const [key, ...rest] = path
  if (def.type === 'union') return Object.assign({}, ...def.options.map((form) => shapeAt(form, path)))
  if (def.type !== 'object') return {}
  return key === undefined ? def.shape : shapeAt(def.shape[String(key)] ?? def.catchall ?? schema, rest)
}

const issuesOf = (issue: z.core.$ZodIssue, schema: z.core.$ZodType): Array<Issue> => {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    return unknownKeyIssues(issue.keys, shapeAt(schema, path), Object(issue.input), path)
  }
  if (issue.code !== 'invalid_union') return [toIssue(issue)]
  // Of the forms of a union the one was meant whose first fault lies deepest.
  const depth = (issues: Array<z.core.$ZodIssue>) => Math.max(0, ...issues.map((one) => one.path.length))
  const [meant = []] = issue.errors.toSorted((a, b) => depth(b) - depth(a) || b.length - a.length)
  return meant.flatMap((one) => issuesOf({ ...one, path: [...path, ...one.path] }, schema))
}

const faultsOf = (name: Name, value: unknown): Array<Issue> => {
  const form = formOf(name, value)
  const checked = z.safeParse(form, value, { reportInput: true })
  if (checked.success) return []
  if (!(form instanceof z.ZodUnion)) {
    return checked.error.issues
      .flatMap((issue) => issuesOf(issue, form))
      .map((issue) => ({ ...issue, path: [name, ...issue.path] }))
  }
  const message = `expected false or an object, got ${describeValue(value)}. ${form.description ?? ''}`
  return [{ path: [name], message }]
}

/** Takes the wrong entries out of an option: a bad folder or command leaves the others. Gives undefined where none is left. */
const withoutFaults = (value: unknown, faults: Array<Issue>): unknown => {
  if (!isObject(value) || faults.some(({ path }) => path.length < 2)) return undefined
  const rest = Object.entries(value).flatMap(([key, entry]): Array<[string, unknown]> => {
    const inside = faults.filter(({ path }) => path[1] === key)
    if (inside.length === 0) return [[key, entry]]
    if (!Array.isArray(entry) || inside.some(({ path }) => path.length < 3)) return []
    return [[key, entry.filter((_, index) => !inside.some(({ path }) => path[2] === index))]]
  })
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

const isName = (name: string): name is Name => Object.hasOwn(OptionsSchema.shape, name)

const toText = (issue: Issue): string => `${issue.path.join('.')}: ${wordsOf(issue)}`

/** Reads the options, each on its own: what is wrong is left out, and `faults` says what with its path. */
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
