/** Describes, for the model, the faults ("issues") in a value that the model sent. */
import leven from 'leven'
import type * as z from 'zod'
import { truncate } from '../text/quoted-name.ts'

/** Such as `['rules', 0, 'action']`. */
export type Path = Array<PropertyKey>

export type Issue = {
  path: Path
  /** The valid values, such as `a string`. */
  expected?: string | undefined
  /** Undefined if nothing was sent. */
  got?: string | undefined
  invalidJson?: string
  message?: string
  example?: string | undefined
}

export const MAX_ISSUES = 20
const MAX_QUOTED = 60

/** If `isRepeated`, an earlier line of the answer already names the expected value. */
export const describeIssue = ({ expected, got, invalidJson, message }: Issue, isRepeated = false): string => {
  if (expected === undefined) return message ?? `Invalid JSON: ${invalidJson}`
  if (got === undefined) return `missing, expected ${expected}`
  return `expected ${isRepeated ? 'the same' : expected}; got ${got}`
}

export const quote = (text: string, length = MAX_QUOTED): string => JSON.stringify(truncate(text, length))

/** Returns the definition of a schema, typed as a union that TypeScript narrows by the property `type`. */
export const defOf = (schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] =>
  (schema as z.core.$ZodTypes)._zod.def

/** Returns the list that is the only property of a shape, such as `{"rules": […]}`. */
export const onlyListOf = (shape: z.core.$ZodShape): [key: string, list: z.core.$ZodArray] | undefined => {
  const [property, ...others] = Object.entries(shape)
  if (property === undefined || others.length > 0) return undefined
  const [key, schema] = property
  return defOf(schema).type === 'array' ? [key, schema as z.core.$ZodArray] : undefined
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const describeValue = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return `the ${typeof value} ${String(value)}`
  return `an object with ${truncate(Object.keys(value).slice(0, 6).join(', '), MAX_QUOTED) || 'no keys'}`
}

/** Suggests the `missing` key that was probably meant, or lists all known keys. */
export const describeUnknownKey = (key: string, known: Array<string>, missing = known): string => {
  const word = key.toLowerCase()
  const distance = (name: string): number => leven(word, name.toLowerCase())
  const isNear = (name: string): boolean =>
    word.includes(name) || name.includes(word) || distance(name) <= Math.max(1, (name.length + 1) / 3)
  const likely = missing.filter(isNear).toSorted((a, b) => distance(a) - distance(b))[0]
  return likely ? `unknown, did you mean "${likely}"?` : `unknown, known here: ${known.join(', ')}`
}

/** Whether a value is empty, in any form that models write for a missing value: `null`, `"None"`, `[]`, `"{}"`. */
export const isOmitted = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^(?:null|undefined|None|""|\[\s*\]|\{\s*\})?$/.test(value.trim())
    : value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

export const unknownKeyIssues = (shape: z.core.$ZodShape, value: Record<string, unknown>, path: Path) => {
  const known = Object.keys(shape)
  const missing = known.filter((key) => !Object.hasOwn(value, key))
  return Object.keys(value).filter((key) => !Object.hasOwn(shape, key) && !isOmitted(value[key]))
    .map((key, index): Issue => ({
      path: [...path, key],
      // Finding similar names is slow, and an answer lists at most `MAX_ISSUES`.
      message: index < MAX_ISSUES ? describeUnknownKey(key, known, missing) : 'unknown',
    }))
}

const TYPES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  object: 'an object',
}

/** A zod issue lacks its `input` unless the value was checked with `reportInput`. */
export const toIssue = (issue: z.core.$ZodIssue): Issue => {
  const { code, path, input } = issue
  const got = input === undefined ? undefined : describeValue(input)
  if (code === 'invalid_type') return { path, expected: TYPES[issue.expected] ?? `a ${issue.expected}`, got }
  if (code === 'invalid_value') return { path, expected: `one of ${issue.values.join(', ')}`, got }
  // A fault inside a list says more than "expected a string or a list".
  if (code === 'invalid_union') {
    const issues = issue.errors.flat().map((error) => toIssue({ ...error, path: [...path, ...error.path] }))
    const faultInList = issues.find((inner) => inner.path.length > path.length)
    return faultInList ?? { path, expected: issues.map(({ expected }) => expected).join(' or '), got }
  }
  return { path, message: issue.message }
}
