import type { z } from 'zod'
import { describeValue, type Issue, issuesOf } from './schema-issues.ts'

/** What validation gives: the data, or why there is none (`reason`: what the JSON parser ran into). */
export type Validation<T> =
  | { data: T; error: null }
  | { data: null; error: 'parse'; reason: string }
  | { data: null; error: 'schema'; issues: Array<Issue> }

export type ValidationFailure = Exclude<Validation<never>, { error: null }>

/** How deep JSON may be nested before it is answered instead of walked. */
const MAX_JSON_DEPTH = 400

const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level: Array<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((item) => typeof item === 'object' && item !== null ? Object.values(item) : [])
  }
  return false
}

/** Checks a value against a schema; every fault is named by its path. */
export const validateValue = <S extends z.ZodType>(value: unknown, schema: S): Validation<z.output<S>> => {
  if (isDeeperThan(value, MAX_JSON_DEPTH)) {
    const message = `nested more than ${MAX_JSON_DEPTH} levels deep, which is too deep to read; flatten it`
    return { data: null, error: 'schema', issues: [{ path: [], message }] }
  }
  const checked = schema.safeParse(value)
  return checked.success
    ? { data: checked.data, error: null }
    : { data: null, error: 'schema', issues: issuesOf(checked.error, schema, value) }
}

/** Parses JSON text and checks it against a schema (sat-plan.md, validate.ts). */
export const validateJson = <S extends z.ZodType>(json: unknown, schema: S): Validation<z.output<S>> => {
  if (typeof json !== 'string') {
    const message = json === undefined
      ? 'missing, expected JSON text'
      : `expected JSON text, got ${describeValue(json)}`
    return { data: null, error: 'schema', issues: [{ path: [], message }] }
  }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (thrown) {
    return { data: null, error: 'parse', reason: thrown instanceof Error ? thrown.message : String(thrown) }
  }
  return validateValue(value, schema)
}

const INVALID_JSON = 'Invalid JSON'

/** The faults of a failed validation as a list, text that is no JSON as one fault at the root. */
export const toIssues = (failure: ValidationFailure): Array<Issue> =>
  failure.error === 'schema' ? failure.issues : [{ path: [], message: `${INVALID_JSON}: ${failure.reason}` }]

const GO_ON = 'Fix the issues and try again.'

/** What a model reads when its input was wrong, and how to go on (spec.md, validate.ts). */
export const formatValidationError = (failure: ValidationFailure): string => {
  const issues = toIssues(failure)
  const [only] = issues
  if (only && issues.length === 1 && only.message.startsWith(INVALID_JSON)) {
    const where = only.path.length > 0 ? ` (argument ${only.path.join('.')})` : ''
    return `${only.message}${where}\n${GO_ON}`
  }
  const lines = issues.map(({ path, message }) => `  - ${path.join('.') || 'input'}: ${message}`)
  return ['Schema validation failed:', ...lines, GO_ON].join('\n')
}
