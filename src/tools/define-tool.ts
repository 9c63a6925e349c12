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

/** What a tool gives: a short title for the person's screen, and the text that the model reads. */
export type ToolAnswer = { title: string; output: string }

/** Makes an answer. It may repeat what a model sent or how a file is called, so hidden characters in it are marked. */
export const answer = (title: string, output: string): ToolAnswer => ({ title, output: markHidden(output) })

/** An argument of a tool: the schema that the model sees, and the reader of what it sends, if it sends something. */
type Argument<T> = { shown: z.ZodType; read(value: unknown): Validation<T> }

/**
 * Makes an argument of the schema that it must match, which `execute` gets as checked data and of which the model sees
 * the leanest form. JSON text of an object is taken; where it is optional, null, a blank and an empty list are none.
 *
 * @param known objects that the model sees whole in another tool
 */
export const argument = <S extends z.ZodType>(
  schema: S,
  known: Array<z.ZodType> = [],
): Argument<z.output<S>> => {
  const given = schema instanceof z.ZodOptional ? schema.unwrap() as S : schema
  return {
    shown: leanSchema(schema, known),
    read: (value) => given.type === 'object' ? validateJson(value, given) : validateValue(value, given),
  }
}

// A list or a text as JSON, which models send where a path is asked for, also with its end cut off. With more after its
// end it is a path: `[slug].md`, `["a"].md`, `"a".md`.
const JSON_TEXT = /^(?:\[\s*\]|\[\s*["'“](?:[^\]]*|.*\])|"(?:[^"]*|.*"))$/s

const PATHS = z.union([z.array(z.string()), z.string()])

/** Makes an optional argument for paths: a text with commas between them, or a list whose entries are taken as they stand. */
export const paths = (description: string): Argument<string | Array<string> | undefined> => ({
  shown: z.string().describe(description).optional(),
  read: (given) => {
    const isJson = typeof given === 'string' && JSON_TEXT.test(given.trim())
    return isJson ? validateJson(given, PATHS) : validateValue(given, PATHS)
  },
})

type Arguments = Record<string, Argument<unknown>>

type ValuesOf<Args extends Arguments> = {
  [Name in keyof Args]: Args[Name] extends Argument<infer T> ? T : never
}

const shownOf = (args: Arguments): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(args).map(([name, { shown }]) => [name, shown]))

/** Checks the arguments of a call; gives their data, or every fault by its path. */
const readArguments = <Args extends Arguments>(args: Args, given: unknown): Validation<ValuesOf<Args>> => {
  const sent = typeof given === 'string' ? parseJson(given) : ok({ value: given ?? {} })
  if (sent.error !== null) return { data: null, error: 'parse', ...sent.error }
  const { value: values } = sent.data
  if (!isObject(values)) {
    const expected = `an object with ${Object.keys(args).join(', ')}`
    return schemaFailure([{ path: [], expected, got: describeValue(values) }])
  }
  const issues = unknownIssues(shownOf(args), values, [])
  const data: Record<string, unknown> = {}
  for (const [name, { shown, read }] of Object.entries(args)) {
    if (shown.isOptional() && isOmitted(values[name])) continue
    const checked = read(values[name])
    if (checked.error === null) data[name] = checked.data
    else issues.push(...issuesOfFailure(checked).map((issue) => withName(name, issue)))
  }
  return issues.length > 0 ? schemaFailure(issues) : { data: data as ValuesOf<Args>, error: null }
}

// The JSON of `rules` has a key of that name: a fault at `rules.0` keeps its path, one at its key `mode` becomes
// `rules.mode`, since `mode` is another argument.
const withName = (name: string, issue: Issue): Issue =>
  issue.path[0] === name ? issue : { ...issue, path: [name, ...issue.path] }

/**
 * Makes a tool from one declaration of each argument: it types `execute`, becomes the JSON Schema that the model sees,
 * and is checked before `execute` runs, since the host checks nothing. Invalid arguments are answered with every fault
 * by its path.
 */
export const defineTool = <Args extends Arguments>(definition: {
  description: string
  args: Args
  execute(args: ValuesOf<Args>, context: ToolContext): Promise<ToolAnswer>
  /** Completes the arguments as they were sent; what it fails with is answered in place of `execute`. */
  prepare?(args: unknown, context: ToolContext): Result<unknown>
  /** Runs when invalid arguments are answered in place of `execute`; gives more lines of that answer. */
  onInvalid?(args: unknown, context: ToolContext, issues: Array<Issue>): Promise<Array<string>>
}): ToolDefinition => ({
  description: definition.description,
  args: shownOf(definition.args),
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
