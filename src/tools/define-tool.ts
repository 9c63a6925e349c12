/** Defines tools for the host. Each argument has one schema, which describes, parses and checks it. */
import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { describeValue, isObject, isOmitted, type Issue, unknownIssues } from '../json/issues.ts'
import { parseJson } from '../json/parse-json.ts'
import { withGitTime } from '../paths/git.ts'
import { ok, reasonOf, type Result } from '../safe.ts'
import { markHidden } from '../text/hidden-characters.ts'
import {
  formatValidationError,
  issuesOfFailure,
  schemaFailure,
  validateJson,
  validateValue,
  type Validation,
} from '../validate.ts'
import { PermissionRefused } from '../writing/ask-permission.ts'
import { leanSchema } from './lean-schema.ts'

/** The result of a tool call: a short title for the person's screen, and the text that the model reads. */
export type ToolAnswer = { title: string; output: string }

/** Creates an answer. Marks hidden characters in it, because it may quote a model or the name of a file. */
export const answer = (title: string, output: string): ToolAnswer => ({ title, output: markHidden(output) })

/** An argument of a tool: `shown` is the schema that the model sees, `read` checks what the model sends. */
type Argument<T> = { shown: z.ZodType; read(value: unknown): Validation<T> }

/**
 * Creates an argument from its schema. The model sees a short form of the schema, in which the `knownSchemas`, which
 * another tool shows in full, are still shorter. An object may also be sent as JSON text.
 */
export const argument = <S extends z.ZodType>(
  schema: S,
  knownSchemas: Array<z.ZodType> = [],
): Argument<z.output<S>> => {
  const required = schema instanceof z.ZodOptional ? schema.unwrap() as S : schema
  return {
    shown: leanSchema(schema, knownSchemas),
    read: (value) =>
      required.type === 'object' ? validateJson(value, required) : validateValue(value, required),
  }
}

// A list or a text in JSON, possibly truncated, which models send in place of a path: `["a", "b"`. A text that goes on
// after its JSON is a path: `[slug].md`, `["a"].md`, `"a".md`.
const JSON_TEXT = /^(?:\[\s*\]|\[\s*["'“](?:[^\]]*|.*\])|"(?:[^"]*|.*"))$/s

const PATHS = z.union([z.array(z.string()), z.string()])

/** Creates an optional argument for paths: a text with commas between the paths, or a list of single paths. */
export const paths = (description: string): Argument<string | Array<string> | undefined> => ({
  shown: z.string().describe(description).optional(),
  read: (value) => {
    const isJson = typeof value === 'string' && JSON_TEXT.test(value.trim())
    return isJson ? validateJson(value, PATHS) : validateValue(value, PATHS)
  },
})

type Arguments = Record<string, Argument<unknown>>

type ValuesOf<Args extends Arguments> = {
  [Name in keyof Args]: Args[Name] extends Argument<infer T> ? T : never
}

const shownSchemasOf = (args: Arguments): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(args).map(([name, { shown }]) => [name, shown]))

/**
 * Adds the name of an argument to the path of an issue in the argument's value, unless the path begins with that name.
 * In the value `{ rules: […], mode: … }` of the argument `rules`, the path `rules.0` stays, but `mode` becomes
 * `rules.mode`.
 */
const withName = (name: string, issue: Issue): Issue =>
  issue.path[0] === name ? issue : { ...issue, path: [name, ...issue.path] }

/** Checks the arguments of a call. Returns their data, or all issues with their paths. */
const readArguments = <Args extends Arguments>(args: Args, sent: unknown): Validation<ValuesOf<Args>> => {
  const parsed = typeof sent === 'string' ? parseJson(sent) : ok({ value: sent ?? {} })
  if (parsed.error !== null) return { data: null, error: 'parse', reason: parsed.error }
  const { value: values } = parsed.data
  if (!isObject(values)) {
    const expected = `an object with ${Object.keys(args).join(', ')}`
    return schemaFailure([{ path: [], expected, got: describeValue(values) }])
  }
  const issues = unknownIssues(shownSchemasOf(args), values, [])
  const data: Record<string, unknown> = {}
  for (const [name, { shown, read }] of Object.entries(args)) {
    if (shown.isOptional() && isOmitted(values[name])) continue
    const checked = read(values[name])
    if (checked.error === null) data[name] = checked.data
    else issues.push(...issuesOfFailure(checked).map((issue) => withName(name, issue)))
  }
  return issues.length > 0 ? schemaFailure(issues) : { data: data as ValuesOf<Args>, error: null }
}

/**
 * Creates a tool. The tool checks its arguments before `execute` runs, because the host checks nothing, and answers
 * invalid ones with their issues. An error that `execute` throws becomes an answer, except a refused permission.
 */
export const defineTool = <Args extends Arguments>(definition: {
  description: string
  args: Args
  execute(args: ValuesOf<Args>, context: ToolContext): Promise<ToolAnswer>
  /** Completes the arguments before they are checked. If it fails, its error is the answer. */
  prepare?(args: unknown, context: ToolContext): Result<unknown>
  /** Runs if the arguments are invalid. Returns further lines for the answer. */
  onInvalid?(args: unknown, context: ToolContext, issues: Array<Issue>): Promise<Array<string>>
}): ToolDefinition => ({
  description: definition.description,
  args: shownSchemasOf(definition.args),
  async execute(args: unknown, context) {
    try {
      const prepared = definition.prepare?.(args, context) ?? ok(args)
      if (prepared.error !== null) return answer('invalid arguments', prepared.error)
      const checked = readArguments(definition.args, prepared.data)
      if (checked.error === null) return await withGitTime(() => definition.execute(checked.data, context))
      const advice = await definition.onInvalid?.(prepared.data, context, issuesOfFailure(checked)) ?? []
      return answer('invalid arguments', formatValidationError(checked, ...advice))
    } catch (thrown) {
      if (thrown instanceof PermissionRefused) throw thrown.cause
      return answer('failed', `The tool failed: ${reasonOf(thrown)}`)
    }
  },
})
