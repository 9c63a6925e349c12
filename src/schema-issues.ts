import leven from 'leven'
import * as z from 'zod'

/** One thing that is wrong, by its path in what came; with a valid example where the shape is wrong. */
export type Issue = { path: Array<PropertyKey>; message: string; example?: string | undefined }

/** The shortest valid example that a schema carries in its metadata. */
export const exampleOf = (schema: z.core.$ZodType): string | undefined => {
  const example = z.globalRegistry.get(schema)?.['example']
  return typeof example === 'string' ? example : undefined
}

// The faults inside a JSON argument travel through zod as the params of one custom issue of that argument.
const nestedIssues = (issue: z.core.$ZodIssueCustom): Array<Issue> | undefined =>
  Array.isArray(issue.params?.['issues']) ? issue.params['issues'] : undefined

const ARTICLES: Record<string, string> = { array: 'a list', boolean: 'true or false', object: 'an object' }

const article = (type: string): string => ARTICLES[type] ?? `a ${type}`

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const SHOWN_LENGTH = 60

const shorten = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text

/** What came, shortened: its type and, where it is short enough to help, the value. */
export const describeValue = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') {
    const keys = Object.keys(value)
    return `an object with ${keys.length > 0 ? shorten(keys.slice(0, 6).join(', ')) : 'no keys'}`
  }
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`
  return JSON.stringify(shorten(value))
}

const valueAt = (value: unknown, path: Array<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (at, key) => typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined,
    value,
  )

/** What an object at `path` may have: name → schema. */
const shapeAt = (schema: z.core.$ZodType, path: Array<PropertyKey>): z.core.$ZodShape => {
  let at: z.core.$ZodType = schema
  for (const key of path) {
    if (at instanceof z.ZodOptional) at = at.unwrap()
    if (at instanceof z.ZodArray) at = at.element
    else if (at instanceof z.ZodObject) at = at.shape[String(key)] ?? at
  }
  return at instanceof z.ZodObject ? at.shape : {}
}

/** The known name that an unknown one most likely stands for, if one is near enough. */
export const likelyName = (unknown: string, known: Array<string>): string | undefined => {
  const word = unknown.toLowerCase()
  const near = known
    .map((name) => ({ name, distance: leven(word, name.toLowerCase()) }))
    .filter(({ name, distance }) =>
      distance <= Math.max(1, Math.floor((name.length + 1) / 3)) || word.includes(name) || name.includes(word)
    )
    .sort((a, b) => a.distance - b.distance)
  return near[0]?.name
}

/** What is said of a name that is not known; `left` is the only one that is missing beside it. */
export const unknownKey = (key: string, known: Array<string>, left?: string): string => {
  const meant = likelyName(key, known) ?? left
  return meant ? `unknown, did you mean "${meant}"?` : `unknown, known here: ${known.join(', ')}`
}

const unknownKeyIssues = (
  issue: z.core.$ZodIssueUnrecognizedKeys,
  schema: z.core.$ZodType,
  value: unknown,
): Array<Issue> => {
  const shape = shapeAt(schema, issue.path)
  const known = Object.keys(shape)
  const missing = known.filter((name) =>
    !(shape[name] instanceof z.ZodOptional) && !Object.hasOwn(Object(value), name)
  )
  // The one name too many stands for the one that is missing, whatever it is: `goal` for `intent`.
  const left = missing.length === 1 && issue.keys.length === 1 ? missing[0] : undefined
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: unknownKey(key, known, left),
    example: exampleOf(schema),
  }))
}

const toIssues = (issue: z.core.$ZodIssue, schema: z.core.$ZodType, input: unknown): Array<Issue> => {
  const { path } = issue
  const example = exampleOf(schema)
  const value = valueAt(input, path)
  switch (issue.code) {
    case 'invalid_type':
      return [{
        path,
        message: value === undefined
          ? `missing, expected ${article(issue.expected)}`
          : `expected ${article(issue.expected)}; got ${describeValue(value)}`,
        example,
      }]
    case 'invalid_value': {
      const expected = `expected one of ${issue.values.join(', ')}`
      return [{
        path,
        message: value === undefined ? `missing, ${expected}` : `${expected}; got ${describeValue(value)}`,
      }]
    }
    case 'unrecognized_keys':
      return unknownKeyIssues(issue, schema, value)
    case 'invalid_union': {
      // The form that was meant is the one that what came got furthest into.
      const depth = (issues: Array<z.core.$ZodIssue>) => Math.max(0, ...issues.map((one) => one.path.length))
      const [meant = []] = issue.errors.toSorted((a, b) => depth(b) - depth(a) || b.length - a.length)
      return meant.flatMap((one) => toIssues({ ...one, path: [...path, ...one.path] }, schema, input))
    }
    case 'custom':
      return nestedIssues(issue)?.map((nested) => nested.path.length > 0 ? nested : { ...nested, path })
        ?? [{ path, message: issue.message }]
    default:
      return [{ path, message: issue.message }]
  }
}

/** Everything that is wrong with `input`, each fault by its path. */
export const issuesOf = (error: z.core.$ZodError, schema: z.core.$ZodType, input: unknown): Array<Issue> =>
  error.issues.flatMap((issue) => toIssues(issue, schema, input))
