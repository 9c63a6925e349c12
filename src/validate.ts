/** Validates a value from a model against a zod schema, and describes the value's faults ("issues"). */
import * as z from 'zod'
import { coerceToSchema } from './json/coerce-to-schema.ts'
import { defOf, describeIssue, type Issue, MAX_ISSUES, onlyListOf, toIssue } from './json/issues.ts'
import { sizeOf } from './json/limits.ts'
import { parseJson } from './json/parse-json.ts'
import { truncate } from './text/quoted-name.ts'

export type ValidationFailure =
  | { data: null; error: 'parse'; reason?: string; example?: string | undefined }
  | { data: null; error: 'schema'; issues: Array<Issue> }

export type Validation<T> = { data: T; error: null } | ValidationFailure

export const schemaFailure = (issues: Array<Issue>) => ({ data: null, error: 'schema', issues }) as const

const exampleOf = (schema: z.ZodType) => schema.meta()?.['example'] as string | undefined

const tooLarge = (reason: string) => schemaFailure([{ path: [], message: reason }])

const toIssueWithExample = (zodIssue: z.core.$ZodIssue, schema: z.ZodType): Issue => {
  const issue = toIssue(zodIssue)
  const def = defOf(schema)
  if (/^invalid_(?:type|union)$/.test(zodIssue.code)) issue.example = exampleOf(schema)
  // The model may also send only the list, which is simpler to write than `{"rules": […]}`.
  const mayBeList = issue.path.length === 0 && def.type === 'object' && onlyListOf(def.shape) !== undefined
  if (mayBeList) issue.expected = 'a list'
  return issue
}

/** Checks a value against a schema and, if necessary, coerces the value. */
export const validateValue = <S extends z.ZodType>(value: unknown, schema: S): Validation<z.output<S>> => {
  const size = sizeOf(value)
  if (size.excess !== undefined) return tooLarge(size.excess)
  const asSent = schema.safeParse(value)
  // zod drops unknown keys without an issue, but the coercion reports them.
  if (asSent.success && sizeOf(asSent.data).keys >= size.keys) return { data: asSent.data, error: null }
  const { value: coerced, issues: coercionIssues } = coerceToSchema(value, schema)
  // Coercion decodes JSON texts, so the value may exceed the limits now.
  const { excess } = sizeOf(coerced)
  if (excess !== undefined) return tooLarge(excess)
  const checked = schema.safeParse(coerced, { reportInput: true })
  if (checked.success && coercionIssues.length === 0) return { data: checked.data, error: null }
  // An issue of the coercion replaces zod's issue at the same path.
  const coercionPaths = new Set(coercionIssues.map(({ path }) => path.join('.')))
  const zodIssues = checked.error?.issues.filter(({ path }) => !coercionPaths.has(path.join('.'))) ?? []
  return schemaFailure([
    ...coercionIssues.map((issue) => ({ ...issue, example: exampleOf(schema) })),
    ...zodIssues.map((zodIssue) => toIssueWithExample(zodIssue, schema)),
  ])
}

/** Parses a text tolerantly as JSON, then works like `validateValue`. */
export const validateJson = <S extends z.ZodType>(json: unknown, schema: S): Validation<z.output<S>> => {
  if (typeof json !== 'string') return validateValue(json, schema)
  const { data, error } = parseJson(json)
  return error === null
    ? validateValue(data, schema)
    : { data: null, error: 'parse', reason: error, example: exampleOf(schema) }
}

/** Represents invalid JSON as one issue at the root. */
export const issuesOfFailure = (failure: ValidationFailure): Array<Issue> =>
  failure.error === 'schema'
    ? failure.issues
    : [{ path: [], invalidJson: failure.reason ?? 'it cannot be read', example: failure.example }]

const FIX_AND_RETRY = 'Fix the issues and try again.'
const MAX_LINE_LENGTH = 300
const MAX_LINES_LENGTH = 1_650
const MAX_KEY_LENGTH = 30

const formatPath = ({ path }: Issue): string =>
  truncate(path.map((key) => truncate(String(key), MAX_KEY_LENGTH)).join('.'), 3 * MAX_KEY_LENGTH)

const toLines = (issues: Array<Issue>, maxLength: number): Array<string> => {
  const lines: Array<string> = []
  const expectedAbove = new Set<string>()
  let length = 0
  for (const issue of issues.slice(0, MAX_ISSUES)) {
    const { expected = '' } = issue
    const isRepeated = expectedAbove.has(expected)
    expectedAbove.add(expected)
    const description = describeIssue(issue, isRepeated)
    const line = truncate(`  - ${formatPath(issue) || 'input'}: ${description}`, MAX_LINE_LENGTH)
    length += line.length + 1
    if (length > maxLength) break
    lines.push(line)
  }
  const omitted = issues.length - lines.length
  return omitted > 0 ? [...lines, `  … and ${omitted} more`] : lines
}

const toExamples = (issues: Array<Issue>): Array<string> =>
  [...new Set(issues.slice(0, MAX_ISSUES).flatMap(({ example }) => example ?? []))]
    .map((example) => `A valid example: ${example}`)

/** Formats an answer to a model. The list of issues ends before it exceeds `maxLength` characters. */
export const formatIssues = (
  heading: string,
  issues: Array<Issue>,
  advice: Array<string> = [],
  maxLength = MAX_LINES_LENGTH,
): string =>
  [heading, ...toLines(issues, maxLength), ...toExamples(issues), ...advice, FIX_AND_RETRY].join('\n')

/** Omits the advice if invalid JSON is the only issue. */
export const formatValidationError = (failure: ValidationFailure, ...advice: Array<string>): string => {
  const issues = issuesOfFailure(failure)
  const [issue] = issues
  if (issues.length > 1 || issue?.invalidJson === undefined) {
    return formatIssues('Schema validation failed:', issues, advice)
  }
  const where = issue.path.length > 0 ? ` (argument ${formatPath(issue)})` : ''
  const fault = truncate(describeIssue(issue), 2 * MAX_LINE_LENGTH)
  return [fault + where, ...toExamples(issues), FIX_AND_RETRY].join('\n')
}
