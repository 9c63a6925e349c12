import leven from 'leven'
import type * as z from 'zod'

/** Where something is wrong: a path in what came. */
export type Path = Array<PropertyKey>

/**
 * One thing that is wrong: what was `expected` and what was `got` (nothing, where it is missing), text that is no JSON
 * and why (`invalidJson`), or else a `message`. With a valid `example` where the shape is wrong.
 */
export type Issue =
  & { path: Path }
  & { [part in 'expected' | 'got' | 'invalidJson' | 'message' | 'example']?: string }

/** How many faults one answer lists. */
export const MAX_ISSUES = 20

/** An issue in words; without `expected` where that was said before. */
export const wordsOf = ({ expected, got, invalidJson, message }: Issue, isSaid = false): string => {
  if (expected === undefined) return message ?? `Invalid JSON: ${invalidJson}`
  return got ? `expected ${isSaid ? 'the same' : expected}; got ${got}` : `missing, expected ${expected}`
}

const SHOWN = 60

/** A text, or its first UTF-16 units with an ellipsis behind them. */
export const shorten = (text: string, length = SHOWN): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

/** A text in quotes, shortened, as it is shown to a model. */
export const quote = (text: string, length = SHOWN): string => JSON.stringify(shorten(text, length))

/** What a schema is, by its `type`. */
export const defOf = (schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] =>
  (schema as z.core.$ZodTypes)._zod.def

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What came, shortened: its type and, where it is short enough to help, the value. */
export const describeValue = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return `the ${typeof value} ${String(value)}`
  return `an object with ${shorten(Object.keys(value).slice(0, 6).join(', ')) || 'no keys'}`
}

/** The known name that an unknown one most likely stands for, if one is near enough. */
export const likelyName = (unknown: string, known: Array<string>): string | undefined => {
  const word = unknown.toLowerCase()
  const distance = (name: string): number => leven(word, name.toLowerCase())
  const isNear = (name: string): boolean =>
    word.includes(name) || name.includes(word) || distance(name) <= Math.max(1, (name.length + 1) / 3)
  return known.filter(isNear).toSorted((a, b) => distance(a) - distance(b))[0]
}

/** What is said of a name that is not known; `left` is the only one that is missing beside it. */
export const unknownKey = (key: string, known: Array<string>, left?: string): string => {
  const meant = likelyName(key, known) ?? left
  return meant ? `unknown, did you mean "${meant}"?` : `unknown, known here: ${known.join(', ')}`
}

/** One issue for each key of the object at `path` that its shape does not know. */
export const unknownKeyIssues = (
  unknown: Array<string>,
  shape: z.core.$ZodShape,
  value: object,
  path: Path,
): Array<Issue> => {
  const known = Object.keys(shape)
  const missing = known.filter((name) =>
    shape[name]?._zod.optin !== 'optional' && Reflect.get(value, name) === undefined
  )
  // The one name too many stands for the one that is missing, whatever it is: `goal` for `intent`.
  const left = missing.length === 1 && unknown.length === 1 ? missing[0] : undefined
  // Likely names are looked for where an answer has room for them (validate.ts).
  const wordsFor = (key: string, index: number) =>
    index < MAX_ISSUES ? unknownKey(key, known, left) : 'unknown'
  return unknown.map((key, index) => ({ path: [...path, key], message: wordsFor(key, index) }))
}

const TYPES: Record<string, string> = { array: 'a list', boolean: 'true or false', object: 'an object' }

/** What a schema found wrong, by its path; the check has to report its input. */
export const toIssue = (issue: z.core.$ZodIssue): Issue => {
  const { code, path, input } = issue
  const got = input === undefined ? undefined : describeValue(input)
  if (code === 'invalid_type') return { path, expected: TYPES[issue.expected] ?? `a ${issue.expected}`, got }
  if (code === 'invalid_value') return { path, expected: `one of ${issue.values.join(', ')}`, got }
  return { path, message: issue.message }
}
