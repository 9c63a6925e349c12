/** Defines tools for the host, and checks their arguments. */
import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { describeValue, isObject, isOmitted, type Issue, unknownKeyIssues } from '../json/issues.ts'
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
import { PermissionRefused } from '../writing/ask-host.ts'
import { leanSchema } from './lean-schema.ts'

/** A short title for the person's screen, and the text that the model reads. */
export type ToolAnswer = { title: string; output: string }

/** Marks hidden characters in an answer, which may quote a file name or a text of the model. */
export const answer = (title: string, output: string): ToolAnswer => ({ title, output: markHidden(output) })

type Argument<T> = { shown: z.ZodType; read(value: unknown): Validation<T> }

type Arguments = Record<string, Argument<unknown>>

type ValuesOf<Args extends Arguments> = {
  [Name in keyof Args]: Args[Name] extends Argument<infer T> ? T : never
}

/** Creates a tool that checks its arguments itself, because the host checks nothing. */
export const defineTool = <Args extends Arguments>(definition: {
  description: string
  args: Args
  execute(args: ValuesOf<Args>, context: ToolContext): Promise<ToolAnswer>
  /** Completes the arguments before they are checked. */
  prepare?(args: unknown, context: ToolContext): Result<unknown>
  /** Returns further lines for the answer. */
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

const shownSchemasOf = (args: Arguments): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(args).map(([name, { shown }]) => [name, shown]))

const readArguments = <Args extends Arguments>(args: Args, sent: unknown): Validation<ValuesOf<Args>> => {
  const { data: sentValues, error } = typeof sent === 'string' ? parseJson(sent) : ok(sent ?? {})
  if (error !== null) return { data: null, error: 'parse', reason: error }
  if (!isObject(sentValues)) {
    const expected = `an object with ${Object.keys(args).join(', ')}`
    return schemaFailure([{ path: [], expected, got: describeValue(sentValues) }])
  }
  const issues = unknownKeyIssues(shownSchemasOf(args), sentValues, [])
  const values: Record<string, unknown> = {}
  for (const [name, { shown, read }] of Object.entries(args)) {
    if (shown.isOptional() && isOmitted(sentValues[name])) continue
    const checked = read(sentValues[name])
    if (checked.error === null) values[name] = checked.data
    else issues.push(...issuesOfFailure(checked).map((issue) => withName(name, issue)))
  }
  return issues.length > 0 ? schemaFailure(issues) : { data: values as ValuesOf<Args>, error: null }
}

// The argument `rules` is an object `{ rules: […] }`, so its issues already have paths like `rules.0`.
const withName = (name: string, issue: Issue): Issue =>
  issue.path[0] === name ? issue : { ...issue, path: [name, ...issue.path] }

/** Creates an argument. The model sees a short form of the schema (see `leanSchema`). */
export const argument = <S extends z.ZodType>(
  schema: S,
  knownSchemas: Array<z.ZodType> = [],
): Argument<z.output<S>> => {
  const required = schema instanceof z.ZodOptional ? schema.unwrap() as S : schema
  const mayBeJsonText = required.type === 'object'
  return {
    shown: leanSchema(schema, knownSchemas),
    read: (value) => mayBeJsonText ? validateJson(value, required) : validateValue(value, required),
  }
}

const PATHS = z.union([z.array(z.string()), z.string()])

/** Creates an optional argument for paths: a text with commas between them, or a list. */
export const pathsArgument = (description: string): Argument<string | Array<string> | undefined> => ({
  shown: z.string().describe(description).optional(),
  read: (value) => {
    const isJson = typeof value === 'string' && LIST_OR_TEXT_IN_JSON.test(value.trim())
    return isJson ? validateJson(value, PATHS) : validateValue(value, PATHS)
  },
})

// Matches `[]`, `["a", "b"]`, `["a", "b`, `"a"` and `"a`, but not the paths `[slug].md`, `["a"].md` and `"a".md`.
const LIST_OR_TEXT_IN_JSON = /^(?:\[\s*\]|\[\s*["'“](?:[^\]]*|.*\])|"(?:[^"]*|.*"))$/s
