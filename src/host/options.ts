/** Defines the options of SAT's entry in `opencode.json`, and reads them. */
import * as z from 'zod'
import { describeIssue, describeUnknownKey, isObject, type Path, toIssue } from '../json/issues.ts'
import { markName } from '../text/hidden-characters.ts'

const NonEmpty = z.string().trim().min(1, 'it is empty')

const WhenSchema = z.enum(['save', 'turn'])

/** When a formatter runs: after each message of the model whose calls wrote files, or once at the end of the turn. */
export type When = z.infer<typeof WhenSchema>

const CommandSchema = z.strictObject({
  command: NonEmpty.meta({
    description: "{path} or $FILE stands for the file's path. Without either, the path is appended "
      + 'unless the command names a folder.',
    examples: ['prettier --write {path}', 'cargo fmt'],
  }),
  ok: z.array(z.int()).optional().meta({
    description: 'Exit codes that mean success.',
    default: [0],
    examples: [[0, 1]],
  }),
  when: WhenSchema.optional().meta({
    description: "save: once per step, before the model's next request. turn: once, at the end of the turn.",
    default: 'save',
    examples: ['turn'],
  }),
})

const FormatOnSaveSchema = z.object({
  when: WhenSchema.optional().meta({
    description: 'When commands without their own "when" run.',
    default: 'save',
    examples: ['turn'],
  }),
}).catchall(z.union([NonEmpty, CommandSchema], 'expected a command, or an object with "command"'))

/** The option `format_on_save`: glob → command, and when they run. The first glob that matches a file wins. */
export type FormatOnSaveOption = z.infer<typeof FormatOnSaveSchema>

const RulesSchema = z.strictObject({
  directories: z.array(NonEmpty).optional(),
  before_write: z.boolean().optional(),
  checks: z.boolean().optional(),
})

const falseOr = <Schema extends z.ZodType>(schema: Schema, error: string) =>
  z.union([z.literal(false), schema], error).optional()

export const OptionsSchema = z.strictObject({
  format_on_save: falseOr(FormatOnSaveSchema, 'expected false, or an object: glob → command').meta({
    description: 'Glob → command that formats a file the agent wrote. false turns formatting off.',
    examples: [
      false,
      { '*.ts': 'prettier --write {path}', '*.rs': 'cargo fmt' },
      { '*.js': { command: 'eslint --fix {path}', ok: [0, 1] } },
      { when: 'turn', '*.ts': 'organize-imports {path}' },
    ],
  }),
  rules: falseOr(RulesSchema, 'expected false, or an object with "directories"').meta({
    description: 'false turns rule files off. "directories": more folders of rule files. '
      + '"before_write": false lets the agent write a new file before it was shown the rules for it. '
      + '"checks": false turns forbid and require off.',
    examples: [false, { directories: ['docs/rules'] }, { before_write: false, checks: false }],
  }),
  tools: falseOr(z.enum(['always', 'commands']), 'expected "always", "commands" or false').meta({
    description:
      'When the seven tools are offered to the model: in every request, in turns that a command started, or never.',
    default: 'always',
    examples: ['commands', false],
  }),
  debug: z.boolean().optional().meta({
    description: "Whether the host's log names the discovered rules.",
    default: false,
    examples: [true],
  }),
})

export type Options = z.infer<typeof OptionsSchema>

type Fault = { path: Path; message: string }

/** Reads the options. Invalid values are left out, and reported in `faults` with their paths; the rest applies. */
export const readOptions = (value: unknown): { options: Options; faults: Array<string> } => {
  const given = value ?? {}
  if (!isObject(given)) return { options: {}, faults: ['options: expected an object'] }
  const { error } = OptionsSchema.safeParse(given, { reportInput: true })
  const faults = error?.issues.flatMap((issue) => faultsOf(issue)) ?? []
  const valid = withoutFaults(given, faults.map(({ path }) => path))
  return {
    options: OptionsSchema.safeParse(valid ?? {}).data ?? {},
    faults: faults.map(({ path, message }) => markName(`${path.join('.')}: ${message}`)),
  }
}

/** By option, the valid keys of its object or, in `format_on_save` (whose own keys are globs), of a command. */
const VALID_KEYS = new Map<unknown, Array<string>>([
  ['rules', Object.keys(RulesSchema.shape)],
  ['format_on_save', Object.keys(CommandSchema.shape)],
])

/**
 * Converts an issue of zod to faults. If the issue is inside a union, its path is relative to the union's value, and
 * `parentPath` is the path of that value.
 */
const faultsOf = (issue: z.core.$ZodIssue, parentPath: Path = []): Array<Fault> => {
  const path = [...parentPath, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const validKeys = VALID_KEYS.get(path[0]) ?? Object.keys(OptionsSchema.shape)
    return issue.keys.map((key) => ({ path: [...path, key], message: describeUnknownKey(key, validKeys) }))
  }
  const faultsInside = issue.code === 'invalid_union' ? faultsInUnion(issue, path) : undefined
  return faultsInside ?? [{ path, message: messageOf(issue, path) }]
}

/**
 * Lists the faults inside a value that fits no type of a union; undefined if the value as a whole is wrong. For
 * `rules: { directories: 1 }`, lists the fault of `directories`, not that `false` was expected.
 */
const faultsInUnion = (issue: z.core.$ZodIssueInvalidUnion, path: Path): Array<Fault> | undefined => {
  const faultsByType = issue.errors.map((issues) => issues.flatMap((inner) => faultsOf(inner, path)))
  return faultsByType.find((faults) => faults.some((fault) => fault.path.length > path.length))
}

/** Describes an issue. If a whole option is wrong, adds an example and, unless it is a union, its description. */
const messageOf = (issue: z.core.$ZodIssue, [option, ...innerPath]: Path): string => {
  const isUnion = issue.code === 'invalid_union'
  const message = isUnion ? issue.message : describeIssue(toIssue(issue))
  if (innerPath.length > 0) return message
  const { description = '', examples } = OptionsSchema.shape[option as keyof Options].meta() ?? {}
  const example = (examples as Array<unknown>).find((value) => value !== false)
  const withExample = `${message}, such as ${JSON.stringify({ [option as string]: example })}`
  return isUnion ? withExample : `${withExample}. ${description}`
}

// The depth of a command's object in the options, as in `{ format_on_save: { '*.ts': { command } } }`.
const COMMAND_DEPTH = 2

/** Removes the values at the paths, commands with a fault and emptied objects; undefined if nothing is left. */
const withoutFaults = (value: unknown, paths: Array<Path>, depth = 0): unknown => {
  if (paths.length === 0) return value
  if (paths.some((path) => path.length === 0)) return undefined
  if (Array.isArray(value)) return value.filter((_, index) => !paths.some(([key]) => key === index))
  if (!isObject(value) || depth === COMMAND_DEPTH) return undefined
  const validEntries = Object.entries(value).map(([key, inner]) => {
    const innerPaths = paths.filter(([start]) => start === key).map((path) => path.slice(1))
    return [key, withoutFaults(inner, innerPaths, depth + 1)] as const
  }).filter(([, inner]) => inner !== undefined)
  return validEntries.length > 0 ? Object.fromEntries(validEntries) : undefined
}
