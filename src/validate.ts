import * as z from 'zod'
import { asMeant } from './json/coerce.ts'
import { describeValue, type Issue, MAX_ISSUES, shorten, toIssue, wordsOf } from './json/issues.ts'
import { type Size, sizeOf } from './json/limits.ts'
import { parseJson } from './json/parse-json.ts'

/**
 * What validation gives: the data, or why there is none. Text that is no JSON has its `reason` in words, the
 * `offset` (UTF-16 units) where it shows, and the shortest valid `example`.
 */
export type Validation<T> =
  | { data: T; error: null }
  | { data: null; error: 'parse'; reason: string; offset: number; example?: string | undefined }
  | { data: null; error: 'schema'; issues: Array<Issue> }

/** A validation that gave no data. */
export type ValidationFailure = Exclude<Validation<never>, { error: null }>

/** Makes a failure of the schema of its issues. */
export const schemaFailure = (issues: Array<Issue>): ValidationFailure => ({
  data: null,
  error: 'schema',
  issues,
})

/** Gives the shortest valid example that a schema has in its metadata. */
const exampleOf = (schema: z.ZodType): string | undefined => {
  const example = schema.meta()?.['example']
  return typeof example === 'string' ? example : undefined
}

const fullPathOf = ({ path }: Issue): string => path.join('.')

/**
 * Checks a value against a schema: first as it stands, then as it was meant (spec.md, Tolerance). A schema that gives
 * fewer keys than came has dropped an unknown one.
 */
const check = <S extends z.ZodType>(value: unknown, size: Size, schema: S): Validation<z.output<S>> => {
  if (size.excess !== undefined) return schemaFailure([{ path: [], message: size.excess }])
  const strict = schema.safeParse(value)
  if (strict.success && sizeOf(strict.data).keys >= size.keys) return { data: strict.data, error: null }
  const meant = asMeant(value, schema)
  // A text in the value may have held more than the value did.
  const { excess } = sizeOf(meant.value)
  if (excess !== undefined) return schemaFailure([{ path: [], message: excess }])
  const checked = schema.safeParse(meant.value, { reportInput: true })
  if (checked.success && meant.issues.length === 0) return { data: checked.data, error: null }
  const example = exampleOf(schema)
  const places = new Set(meant.issues.map(fullPathOf))
  const others = (checked.error?.issues ?? [])
    .map((issue) => ({ ...toIssue(issue), ...(issue.code === 'invalid_type' ? { example } : {}) }))
    .filter((issue) => !places.has(fullPathOf(issue)))
  return schemaFailure([...meant.issues.map((issue) => ({ ...issue, example })), ...others])
}

/** Checks a value, read as it was meant, against a schema; every fault is named by its path. */
export const validateValue = <S extends z.ZodType>(value: unknown, schema: S): Validation<z.output<S>> =>
  check(value, sizeOf(value), schema)

/**
 * Reads JSON text as a model meant it and checks it against a schema (sat-plan.md, validate.ts). What the host
 * handed over as an object or a list already is taken as it stands.
 */
export const validateJson = <S extends z.ZodType>(json: unknown, schema: S): Validation<z.output<S>> => {
  const example = exampleOf(schema)
  if (typeof json === 'string') {
    const read = parseJson(json)
    return read.error === null
      ? check(read.data.value, read.data.size, schema)
      : { data: null, error: 'parse', ...read.error, example }
  }
  if (typeof json === 'object' && json !== null) return validateValue(json, schema)
  const got = json === undefined ? undefined : describeValue(json)
  return schemaFailure([{ path: [], expected: 'JSON text', got, example }])
}

/** Lists the faults of a failed validation. Text that is no JSON is one fault, at the root. */
export const issuesOfFailure = (failure: ValidationFailure): Array<Issue> =>
  failure.error === 'schema'
    ? failure.issues
    : [{ path: [], invalidJson: failure.reason, example: failure.example }]

const GO_ON = 'Fix the issues and try again.'

// How many characters a line of the answer may have, and all lines together.
const MAX_LINE_LENGTH = 300
const MAX_LINES_LENGTH = 1_650

// With more faults than this, what was expected is said in full once, and then in short.
const MANY_ISSUES = 8
const SHORT_LINE_LENGTH = 75

const MAX_KEY_LENGTH = 30

const pathOf = ({ path }: Issue): string =>
  shorten(path.map((key) => shorten(String(key), MAX_KEY_LENGTH)).join('.'), 3 * MAX_KEY_LENGTH)

/** Puts the first faults into a line each; what is expected is said in full once only. */
const toLines = (issues: Array<Issue>): Array<string> => {
  const lines: Array<string> = []
  const said = new Set<string>()
  let length = 0
  for (const issue of issues.slice(0, MAX_ISSUES)) {
    const { expected = issue.message ?? '' } = issue
    const isSaid = said.has(expected)
    said.add(expected)
    const limit = isSaid && issues.length > MANY_ISSUES ? SHORT_LINE_LENGTH : MAX_LINE_LENGTH
    const line = shorten(`  - ${pathOf(issue) || 'input'}: ${wordsOf(issue, isSaid)}`, limit)
    length += line.length + 1
    if (length > MAX_LINES_LENGTH) break
    lines.push(line)
  }
  const left = issues.length - lines.length
  return left > 0 ? [...lines, `  … and ${left} more`] : lines
}

const toExamples = (issues: Array<Issue>): Array<string> =>
  [...new Set(issues.slice(0, MAX_ISSUES).flatMap(({ example }) => example ?? []))]
    .map((example) => `Valid is, for example: ${example}`)

/** Puts faults into words for a model: a heading, each fault by its path, an example where the shape is wrong, how to go on. */
export const formatIssues = (heading: string, issues: Array<Issue>): string =>
  [heading, ...toLines(issues), ...toExamples(issues), GO_ON].join('\n')

/** Puts a failed validation into words for a model: what is wrong, and how to go on (spec.md, validate.ts). */
export const formatValidationError = (failure: ValidationFailure): string => {
  const issues = issuesOfFailure(failure)
  const [only] = issues
  if (only?.invalidJson === undefined || issues.length > 1) {
    return formatIssues('Schema validation failed:', issues)
  }
  const where = only.path.length > 0 ? ` (argument ${pathOf(only)})` : ''
  return [`${shorten(wordsOf(only), 2 * MAX_LINE_LENGTH)}${where}`, ...toExamples(issues), GO_ON].join('\n')
}
