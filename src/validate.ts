import type { z } from 'zod'
import { asMeant } from './as-meant.ts'
import { describeValue, exampleOf, type Issue, issuesOf } from './schema-issues.ts'
import { readJson } from './tolerant-json.ts'
import { sizeOf } from './value-size.ts'

/**
 * What validation gives: the data, or why there is none. Text that is no JSON has its `reason` in words, the
 * `offset` (UTF-16 units) where it shows, and the shortest valid `example`.
 */
export type Validation<T> =
  | { data: T; error: null }
  | { data: null; error: 'parse'; reason: string; offset: number; example?: string | undefined }
  | { data: null; error: 'schema'; issues: Array<Issue> }

export type ValidationFailure = Exclude<Validation<never>, { error: null }>

const schemaFault = (message: string, example?: string): ValidationFailure => ({
  data: null,
  error: 'schema',
  issues: [{ path: [], message, example }],
})

/** Checks a value, read as it was meant, against a schema; every fault is named by its path. */
export const validateValue = <S extends z.ZodType>(value: unknown, schema: S): Validation<z.output<S>> => {
  const { excess } = sizeOf(value)
  if (excess !== undefined) return schemaFault(excess)
  // The strictest reading first: what is valid as it stands is meant as it stands, and costs no second walk.
  const strict = schema.safeParse(value)
  if (strict.success) return { data: strict.data, error: null }
  const meant = asMeant(value, schema)
  const within = sizeOf(meant.value).excess
  if (within !== undefined) return schemaFault(within)
  const checked = schema.safeParse(meant.value)
  if (checked.success) return { data: checked.data, error: null }
  const example = exampleOf(schema)
  const unread = meant.faults.map(({ path, reason }) => ({
    path,
    message: `${INVALID_JSON}: ${reason}`,
    example,
  }))
  const places = new Set(unread.map(({ path }) => path.join('.')))
  const others = issuesOf(checked.error, schema, meant.value).filter(({ path }) =>
    !places.has(path.join('.'))
  )
  return { data: null, error: 'schema', issues: [...unread, ...others] }
}

/**
 * Reads JSON text as a model meant it and checks it against a schema (sat-plan.md, validate.ts). What the host
 * handed over as an object or a list already is taken as it stands.
 */
export const validateJson = <S extends z.ZodType>(json: unknown, schema: S): Validation<z.output<S>> => {
  if (typeof json !== 'string') {
    return typeof json === 'object' && json !== null ? validateValue(json, schema) : schemaFault(
      json === undefined ? 'missing, expected JSON text' : `expected JSON text, got ${describeValue(json)}`,
      exampleOf(schema),
    )
  }
  const read = readJson(json)
  return read.error === null
    ? validateValue(read.data, schema)
    : { data: null, error: 'parse', ...read.error, example: exampleOf(schema) }
}

const INVALID_JSON = 'Invalid JSON'

/** The faults of a failed validation as a list, text that is no JSON as one fault at the root. */
export const toIssues = (failure: ValidationFailure): Array<Issue> =>
  failure.error === 'schema'
    ? failure.issues
    : [{ path: [], message: `${INVALID_JSON}: ${failure.reason}`, example: failure.example }]

const GO_ON = 'Fix the issues and try again.'

/** How many faults one answer lists, how long a line may be, and how long all lines together. */
const MAX_ISSUES = 20
const MAX_LINE_LENGTH = 300
const MAX_LINES_LENGTH = 1_650

/** Where there are this many faults, what was said once is said again in short. */
const MANY_ISSUES = 8
const SHORT_LINE_LENGTH = 75

const MAX_KEY_LENGTH = 30

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

const pathOf = ({ path }: Issue): string =>
  shorten(path.map((key) => shorten(String(key), MAX_KEY_LENGTH)).join('.'), 3 * MAX_KEY_LENGTH)

/** The first faults, a line each; what is expected is said in full once only. */
const toLines = (issues: Array<Issue>): Array<string> => {
  const lines: Array<string> = []
  const said = new Set<string>()
  let length = 0
  for (const issue of issues.slice(0, MAX_ISSUES)) {
    const [expected = '', ...got] = issue.message.split('; got ')
    const isSaid = said.has(expected)
    const message = isSaid && got.length > 0 ? `expected the same; got ${got.join('; got ')}` : issue.message
    said.add(expected)
    const limit = isSaid && issues.length > MANY_ISSUES ? SHORT_LINE_LENGTH : MAX_LINE_LENGTH
    const line = shorten(`  - ${pathOf(issue) || 'input'}: ${message}`, limit)
    length += line.length + 1
    if (length > MAX_LINES_LENGTH) break
    lines.push(line)
  }
  const left = issues.length - lines.length
  return left > 0 ? [...lines, `  … and ${left} more`] : lines
}

/** Faults as a model reads them under a heading: each by its path, an example where the shape is wrong, the way on. */
export const formatIssues = (heading: string, issues: Array<Issue>): string => {
  const examples = new Set(issues.slice(0, MAX_ISSUES).flatMap(({ example }) => example ?? []))
  return [heading, ...toLines(issues), ...[...examples].map((one) => `Valid is, for example: ${one}`), GO_ON]
    .join('\n')
}

/** What a model reads when its input was wrong, and how to go on (spec.md, validate.ts). */
export const formatValidationError = (failure: ValidationFailure): string => {
  const issues = toIssues(failure)
  const [only] = issues
  if (only && issues.length === 1 && only.message.startsWith(INVALID_JSON)) {
    const where = only.path.length > 0 ? ` (argument ${pathOf(only)})` : ''
    return [
      `${shorten(only.message, 2 * MAX_LINE_LENGTH)}${where}`,
      ...(only.example === undefined ? [] : [`Valid is, for example: ${only.example}`]),
      GO_ON,
    ].join('\n')
  }
  return formatIssues('Schema validation failed:', issues)
}
